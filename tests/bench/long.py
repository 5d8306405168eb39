#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statistics of every head of one long text: CPU seconds of one thread, and memory.

    long.py PROGRAM MODEL [EARLIER [TOKENS [SHAPE ...]]]

MODEL is the folder of all-MiniLM-L6-v2, whose tokeniser the models have.  EARLIER is another
mha-viz, or - for none: it runs after the other.  TOKENS: 32768 where none is given.  SHAPE:
minilm or gpt2, and both where none is given; they have random weights, and as many positions as
the text has tokens.

Prints TSV: seconds, the most memory, and how much of it is above the files of the model, which
are mapped and count wholly.  Fails where the entropies of both differ by more than 1e-4.
"""
import csv
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
from typing import NamedTuple

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import cold
import sides

TOLERANCE = 1e-4
COLUMNS = ("shape", "tokens", "CPU s", "MiB", "above the model",
           "earlier, CPU s", "MiB", "earlier / mha-viz")


class Bench(NamedTuple):
    minilm: pathlib.Path
    work: pathlib.Path


def entropies(path):
    with open(path, encoding="utf-8", newline="") as f:
        return [float(r["entropy"]) for r in csv.DictReader(f, delimiter="\t")]


def stats(program, folder, given, out):
    """CPU seconds, MiB and entropies."""
    cpu, _, mib = cold.measure([program, "stats", "-q", "--tsv", "-t", "1", "-m", str(folder),
                                "--jsonl", "-f", str(given), "-o", str(out)])
    return cpu, mib, entropies(out)


def made(bench, name, n):
    """The folder of a model, by another process: the memory of this one would count for those
    that it starts."""
    process = multiprocessing.get_context("fork").Process(target=sides.shape,
                                                          args=(bench, name, n))
    process.start()
    process.join()
    if process.exitcode != 0:
        sys.exit(f"{name}: the model was not made: status {process.exitcode}")
    return bench.work / name


def main(program, model, earlier="-", tokens="32768", *shapes):
    n = int(tokens)
    print("\t".join(COLUMNS))
    with tempfile.TemporaryDirectory() as temp:
        bench = Bench(pathlib.Path(model).resolve(), pathlib.Path(temp))
        given = bench.work / "ids.jsonl"
        given.write_text(json.dumps({"ids": sides.some_ids(n)}) + "\n", encoding="utf-8")
        for name in shapes or ("minilm", "gpt2"):
            folder = made(bench, name, n)
            files = sum(f.stat().st_size for f in folder.iterdir()) / 1024**2
            cpu, mib, found = stats(program, folder, given, bench.work / "ours.tsv")
            cells = [name, n, f"{cpu:.1f}", f"{mib:.0f}", f"{mib - files:.0f}"]
            if earlier != "-":
                before, size, other = stats(earlier, folder, given, bench.work / "other.tsv")
                off = max(abs(a - b) for a, b in zip(found, other, strict=True))
                if not off <= TOLERANCE:
                    sys.exit(f"{name}: entropies differ by {off:.1e}")
                cells += [f"{before:.1f}", f"{size:.0f}", f"{before / cpu:.2f}"]
            print("\t".join(map(str, cells)), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
