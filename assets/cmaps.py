#!/usr/bin/env python3
"""Writes src/draw/cmap_tables.c: the colours that matplotlib gives to 0..255.

    python3 assets/cmaps.py > src/draw/cmap_tables.c

Needs matplotlib (made with 3.11; the tables have not changed since 2.2).  The
bytes are those that matplotlib puts into a picture, truncated, not rounded.
"""
import numpy
from matplotlib import colormaps

HEAD = """\
/* SPDX-License-Identifier: MIT
 * The colours of every map, 256 a map.  Made by assets/cmaps.py; do not edit.
 *
 * viridis, magma, inferno, plasma: Nathaniel J. Smith, Stefan van der Walt and
 * (viridis) Eric Firing, https://bids.github.io/colormap, released under CC0.
 * cividis: Nunez, Anderton and Renslow 2018, "Optimizing colormaps with
 * consideration for color vision deficiency", PLoS ONE 13(7): e0199239, the
 * values as matplotlib publishes them.  gray: i, i, i. */
#include "draw/draw_priv.h"
"""


def table(name):
    rgb = colormaps[name](numpy.arange(256), bytes=True)[:, :3]
    print(f"\nconst unsigned char cmap_{name}[256][3] = {{")
    for i in range(0, 256, 4):
        cells = ", ".join("{ %d, %d, %d }" % tuple(c) for c in rgb[i:i + 4])
        print(f"    {cells},")
    print("};")


print(HEAD, end="")
for name in ("viridis", "magma", "inferno", "plasma", "cividis", "gray"):
    table(name)
