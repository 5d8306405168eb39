#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/text/scripts.def: which characters the pre-tokeniser UnicodeScripts of the
tokenizers package (0.23.3) keeps together, found by asking it about each of them.

    python3 tests/ref/tokenizers/make_scripts.py
"""
import pathlib

from tokenizers import pre_tokenizers

OUT = pathlib.Path(__file__).resolve().parents[3] / "src/text/scripts.def"
SCRIPTS = pre_tokenizers.UnicodeScripts()
HEAD = """\
/* SPDX-License-Identifier: MIT
 * Written by tests/ref/tokenizers/make_scripts.py: first character << 8 | script, up to
 * the next.  Scripts are numbered as they first occur; 0 goes with any. */
"""


def together(a, b):
    return len(SCRIPTS.pre_tokenize_str(a + b)) == 1


def main():
    first = []                  # the first character of each script
    order = []                  # scripts, the one found last in front
    ranges = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue            # no characters; they go with what is before them
        char = chr(code)
        if together("a", char) and together("1", char):
            script = 0
        else:
            script = next((s for s in order if together(first[s - 1], char)), None)
            if script is None:
                first.append(char)
                script = len(first)
            else:
                order.remove(script)
            order.insert(0, script)
        if not ranges or ranges[-1] & 0xFF != script:
            ranges.append(code << 8 | script)
    assert len(first) < 256
    items = ["0x%06x," % r for r in ranges]
    lines = [" ".join(items[i:i + 8]) for i in range(0, len(items), 8)]
    OUT.write_text(HEAD + "\n".join(lines) + "\n", encoding="ascii")


main()
