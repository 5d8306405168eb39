#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Alignment error rates of `mha-viz types --align`, computed again with NumPy of exported
cross-attention.

    check_align.py PROGRAM MODEL PAIRS.tsv ALIGNMENTS"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

program, model, pairs, links = sys.argv[1:5]


def run(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


def words(text, tokens):
    """[tokens, words]: 1 where the token is of the word."""
    data = text.encode()
    spans = [m.span() for m in re.finditer(rb"[^ \t]+", data)]
    m = numpy.zeros((len(tokens["ids"]), len(spans)))
    for i, (start, end) in enumerate(tokens["bytes"]):
        while start < end and data[start:start + 1] == b" ":
            start += 1
        for k, (a, b) in enumerate(spans):
            m[i, k] = not tokens["special"][i] and start < end and a <= start < b
    return m


counts = None
for pair, line in zip(open(pairs, encoding="utf-8"), open(links)):
    source, target = pair.rstrip("\n").split("\t")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npz")
        run("export", "-q", "-m", model, "-o", path, source, target)
        with numpy.load(path) as arrays:
            n = sum(k.startswith("cross.") for k in arrays)
            a = numpy.stack([arrays[f"cross.{l}"] for l in range(n)]).astype(float)
    keys = words(source, json.loads(run("tokens", "--json", "-m", model, source)))
    queries = words(target, json.loads(run("tokens", "--json", "-m", model, target)))
    queries = numpy.concatenate([numpy.zeros((1, queries.shape[1])), queries])[:a.shape[-2]]
    sure = {tuple(map(int, x.split("-"))) for x in line.split() if "-" in x}
    possible = sure | {tuple(map(int, re.split("[?p]", x))) for x in line.split() if "-" not in x}
    found = []
    for shift in (0, 1):
        q = numpy.concatenate([queries[shift:], numpy.zeros((shift, queries.shape[1]))])
        merged = (q / numpy.maximum(q.sum(0), 1)).T @ a @ keys
        best, some = merged.argmax(-1), merged.max(-1) > 0
        for l in range(a.shape[0]):
            for h in range(a.shape[1]):
                made = {(int(best[l, h, t]), t) for t in range(q.shape[1]) if some[l, h, t]}
                found.append((len(made), len(sure), len(made & sure), len(made & possible)))
    found = numpy.array(found).reshape(2, a.shape[0], a.shape[1], 4)
    counts = found if counts is None else counts + found
want = 1 - (counts[..., 2] + counts[..., 3]) / (counts[..., 0] + counts[..., 1])
got = json.loads(run("types", "--json", "-m", model, "--pairs", "-f", pairs, "--align", links))
for head in got["heads"]:
    for i, name in enumerate(("aer", "aer_before")):
        assert abs(head[name] - want[i, head["layer"], head["head"]]) < 1e-12, (head, name, want)
print(len(got["heads"]))
