#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option that `mha-viz COMMAND --help` prints is in man/mha-viz-COMMAND.1 or, if it
# is shared, in man/mha-viz.1, there in a section with the heading of its group; and no page
# has an option that is not in the program.  Prints a line for each that is missing and
# fails.
cd "$(dirname "$0")/.." || exit 1
program=${MHA_VIZ:-./mha-viz}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# "Masks: --mask" for each option of --help on standard input
printed() {
    awk '
    /^[A-Z].*:$/ { group = $0 }
    /^  (-., |    )--/ {
        for (i = 1; i <= NF && $i ~ /^-/; i++) {
            sub(/,$|\[=.*$/, "", $i)
            print group, $i
        }
    }'
}

# The same of a page: its sections, and what follows each Fl of its .It lines
documented() {
    [ -f "$1" ] || return 0
    awk '
    /^\.S[hs] / { sub(/^\.S[hs] /, ""); group = $0 == "OPTIONS" ? "Options" : $0 }
    /^\.It / { for (i = 2; i < NF; i++) if ($i == "Fl") print group ":", "-" $(i + 1) }' "$1"
}

# The options alone
names() {
    sed 's/.*: //'
}

# Prints a line for each line of the first file that the second lacks
lacks() {
    sort -u "$1" > "$dir/one"
    sort -u "$2" > "$dir/two"
    comm -23 "$dir/one" "$dir/two" | sed "s|^|$3: |" > "$dir/missing"
    cat "$dir/missing"
    [ ! -s "$dir/missing" ] || bad=1
}

documented man/mha-viz.1 > "$dir/shared-page"
names < "$dir/shared-page" > "$dir/shared-names"
"$program" --help | grep -o -- '--[a-z]*' > "$dir/everywhere"
sed -n 's/^CMD(\(.*\))/\1/p' src/cmd/cmds.def > "$dir/commands"
while read -r command; do
    page=man/mha-viz-$command.1
    if [ ! -f "$page" ]; then
        echo "$page: is missing"
        bad=1
    fi
    documented "$page" > "$dir/page"
    names < "$dir/page" > "$dir/page-names"
    "$program" "$command" --help | printed > "$dir/help" || bad=1
    names < "$dir/help" > "$dir/help-names"
    [ -s "$dir/help" ] || { echo "$command --help: no options found"; bad=1; }
    grep '^Options:' "$dir/help" | names > "$dir/own"
    grep -v '^Options:' "$dir/help" > "$dir/shared"
    cat "$dir/help-names" >> "$dir/everywhere"
    cat "$dir/page" "$dir/shared-page" > "$dir/pages"
    lacks "$dir/own" "$dir/page-names" "$page: lacks an option of the program"
    lacks "$dir/shared" "$dir/pages" "$page, mha-viz.1: lack under this heading an option of the program"
    lacks "$dir/page-names" "$dir/help-names" "$page: has an option that the program lacks"
done < "$dir/commands"
lacks "$dir/shared-names" "$dir/everywhere" "man/mha-viz.1: has an option that no command has"
exit $bad
