# SPDX-License-Identifier: MIT
"""Sentences of grammar.py, English and Chinese with a tab between: ../translate/sentences.tsv, of which types.sh reads.

    python sentences.py [N]
"""
import sys

import grammar
from aligned import Draw


def main():
    rng = Draw(1)
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
        en, zh, _ = grammar.sentence(rng)
        print(" ".join(en) + "\t" + "".join(zh))


if __name__ == "__main__":
    main()
