# SPDX-License-Identifier: MIT
"""Third column of tatoeba_en_zh.tsv -> ATTRIBUTION (who, how many sentences), ATTRIBUTION.gz (who, which sentences).

    python attribution.py CORPORA OUT
"""
import argparse
import collections
import gzip
import os
import re

import corpus

CREDIT = re.compile(r"CC-BY 2\.0 \(France\) Attribution: tatoeba\.org #(\d+) \((.*)\) & #(\d+) \((.*)\)")
HEAD = """\
The built-in model of mha-viz was trained in part on sentences from https://tatoeba.org, published under the
Creative Commons Attribution 2.0 France licence (CC BY 2.0 FR, https://creativecommons.org/licenses/by/2.0/fr/)
and paired English-Chinese by https://www.manythings.org/anki/. They were written by the contributors below.
"""


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("out")
    args = ap.parse_args()

    wrote = collections.defaultdict(set)
    for line in corpus.read_lines(args.corpora, "tatoeba_en_zh.tsv"):
        en, who_en, zh, who_zh = CREDIT.fullmatch(line.split("\t")[2]).groups()
        wrote[who_en].add(int(en))
        wrote[who_zh].add(int(zh))
    names = sorted(wrote, key=lambda n: (-len(wrote[n]), n))

    with open(os.path.join(args.out, "ATTRIBUTION"), "w", encoding="utf-8") as f:
        f.write(HEAD + "The number is that of their sentences; ATTRIBUTION.gz lists each by its number on tatoeba.org.\n\n")
        f.writelines(f"{n}\t{len(wrote[n])}\n" for n in names)
    with open(os.path.join(args.out, "ATTRIBUTION.gz"), "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:
            f.write((HEAD + "The numbers are those of the sentences on tatoeba.org.\n\n").encode())
            for n in names:
                f.write((n + "\t" + " ".join(map(str, sorted(wrote[n]))) + "\n").encode())


if __name__ == "__main__":
    main()
