#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lifts of `mha-viz types --gold-pairs`, computed again with NumPy of exported attention.

    check_pairs.py PROGRAM MODEL TEXTS PAIRS.tsv"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

program, model, texts, pairs = sys.argv[1:5]
choose = [] if model == "builtin" else ["-m", model]


def run(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


given = {tuple(map(int, line.split("\t"))) for line in open(pairs)}
total = 0
for number, text in enumerate(open(texts, encoding="utf-8").read().splitlines()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npz")
        run("export", "-q", *choose, "-o", path, text)
        with numpy.load(path) as arrays:
            n = sum(k.startswith("attn.") for k in arrays)
            a = numpy.stack([arrays[f"attn.{l}"] for l in range(n)]).astype(float)
    t = json.loads(run("tokens", "--json", *choose, text))
    data = text.encode()
    spans = [m.span() for m in re.finditer(rb"[^ \t]+", data)]
    m = numpy.zeros((len(t["ids"]), len(spans)))
    for i, (start, end) in enumerate(t["bytes"]):
        while start < end and data[start:start + 1] == b" ":
            start += 1
        for k, (x, y) in enumerate(spans):
            m[i, k] = not t["special"][i] and start < end and x <= start < y
    a = (m / numpy.maximum(m.sum(0), 1)).T @ a @ m
    i, j = numpy.indices((len(spans), len(spans)))
    mine = numpy.zeros((len(spans), len(spans)), bool)
    for text_number, query, key in given:
        if text_number == number:
            mine[query, key] = True
    for query, key in zip(*numpy.nonzero(mine)):
        others = (j - i == key - query) & ~mine
        even = a[..., others].mean(-1) if others.any() else 0
        total = total + numpy.stack([a[..., query, key], even + 0 * a[..., 0, 0]])
got = json.loads(run("types", "--json", "--no-probe", *choose, "-f", texts, "--gold-pairs", pairs))
for h in got["heads"]:
    want = total[:, h["layer"], h["head"]]
    assert abs(h["semantic_lift"] - want[0] / want[1]) < 1e-5 * max(1, want[0] / want[1]), (h, want)
print(len(got["heads"]))
