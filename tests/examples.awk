# SPDX-License-Identifier: MIT
# The examples of a manual page, one command per line: .Dl lines, and those of literal blocks,
# where a command goes on until the next.  \e is mdoc's backslash, which goes at the end of a line.  Left out are those that need
# a model of one's own or a program that may be missing.
function example(command) {
    if (command !~ /bert-base|models\/|^python3|unzip|config\/fish|completion zsh/) print command
}
function flush() {
    if (command != "") example(command)
    command = ""
}
{ gsub(/\\e/, "\\") }
/^\.Dl \$ / { example(substr($0, 7)) }
/^\.Bd -literal -offset/ { inside = 1; next }
/^\.Ed/ { flush(); inside = 0 }
inside && /^\$ / { flush(); command = substr($0, 3); next }
inside && command != "" && /^ / { sub(/\\$/, "", command); command = command " " $0 }
