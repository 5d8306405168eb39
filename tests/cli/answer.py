#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command on a terminal that answers the question for its attributes.

    answer.py ANSWER COMMAND...

ANSWER "" is silence, and "-" a terminal that must not be asked; \\e stands for an escape.  What
the command writes but its question goes to standard output; the status is the command's, and 99
where a question came or did not come that should (not) have.
"""
import os
import pty
import sys

QUESTION = b"\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c"


def main():
    answer, command = sys.argv[1].replace("\\e", "\033").encode(), sys.argv[2:]
    child, fd = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.environ.pop("COLORTERM", None)
        os.execvp(command[0], command)
    seen, asked = b"", False
    if answer not in (b"", b"-"):
        os.write(fd, answer)        # before it is asked: no machine is too slow for that
    while True:
        try:
            data = os.read(fd, 4096)
        except OSError:             # nobody has it open any more
            break
        if not data:
            break
        seen += data
        if QUESTION in seen:
            seen, asked = seen.replace(QUESTION, b"", 1), True
    sys.stdout.buffer.write(seen)
    sys.stdout.flush()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit(99 if asked == (answer == b"-") else status)


if __name__ == "__main__":
    main()
