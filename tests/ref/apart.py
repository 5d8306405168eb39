#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Distances between heads over many texts, by NumPy in double from what export writes.

    python3 tests/ref/apart.py FOLDER SUMMARY.json [PICTURE.svg]

FOLDER has the export of each text; SUMMARY is of `stats --summary --json --metric
js,mds,js_cluster --clusters 5`, PICTURE of `model --mds --types none`, over the same texts.  The mean of the
matrices, its places and its clusters have to be those of the report; the points of the picture
lie as the places do, but for where they begin and how large they are drawn."""
import json
import pathlib
import re
import sys

import numpy as np

import shown


def matrix(path):
    arrays = np.load(path)
    layers = sorted((n for n in arrays if n.startswith("attn.")), key=lambda n: int(n[5:]))
    heads = [a.astype(np.float64) for n in layers for a in arrays[n]]
    return shown.distances([(a, np.flatnonzero(a.sum(1))) for a in heads])


def circles(path, n):
    """The middles of the first circles of a picture, upwards."""
    found = []
    for d in re.findall(r'<path [^>]* d="(M [^"]* C [^"]*)"', open(path).read())[:n]:
        at = np.array(re.findall(r"-?[\d.]+", d), float).reshape(-1, 2)
        found.append((at.min(0) + at.max(0)) / 2 * [1, -1])
    return np.array(found)


def stray(place, drawn):
    """How far points are drawn from where they belong, over how far they spread."""
    place, drawn = place - place.mean(0), drawn - drawn.mean(0)
    scale = (place * drawn).sum() / (place ** 2).sum()
    return np.abs(scale * place - drawn).max() / np.ptp(drawn)


def main():
    folder, report = sys.argv[1:3]
    js = np.mean([matrix(p) for p in sorted(pathlib.Path(folder).iterdir())], axis=0)
    want = shown.placed(js, 5)
    heads = json.load(open(report))["heads"]
    worst = max(np.abs(np.subtract(w[name], h[name])).max()
                for w, h in zip(want, heads, strict=True) for name in ("js", "mds", "js_cluster"))
    off = 0
    if len(sys.argv) > 3:
        off = stray(np.array([w["mds"] for w in want]), circles(sys.argv[3], len(want)))
    print(f"{len(heads)} heads differ by at most {worst:.1e}, and points by {off:.1e}")
    return int(worst > 1e-7 or off > 1e-3)


if __name__ == "__main__":
    sys.exit(main())
