#!/usr/bin/env python3
"""Writes the colours that matplotlib gives to 0..255, of maps on a dark and on a light ground.

    python3 assets/cmaps.py > src/draw/cmap_tables.c
    python3 assets/cmaps.py light > src/draw/cmap_light.c

Needs matplotlib (made with 3.11; the tables have not changed since 2.2).  The
bytes are those that matplotlib puts into a picture, truncated, not rounded.
"""
import sys

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
 * values as matplotlib publishes them.  gray: i, i, i.  bluered, for signed numbers:
 * straight from (33, 82, 165) to (247, 247, 247) and on to (178, 30, 40), our own. */
#include "draw/cmap.h"
"""

LIGHT = """\
/* SPDX-License-Identifier: MIT AND Apache-2.0
 * The colours of the maps whose 0 is white, 256 a map.  Made by assets/cmaps.py; do not edit.
 *
 * Blues, Greys and Reds: copyright 2002 Cynthia Brewer, Mark Harrower and The Pennsylvania
 * State University, https://colorbrewer.org, Apache License 2.0 (assets/LICENCES.md); as
 * matplotlib interpolates them. */
#include "draw/cmap.h"
"""


def bluered():
    ends = numpy.array([[33, 82, 165], [247, 247, 247], [178, 30, 40]])
    at = numpy.arange(256) / 255 * 2
    return numpy.stack([numpy.rint(numpy.interp(at, [0, 1, 2], c)) for c in ends.T], 1)


def table(name):
    rgb = (bluered() if name == "bluered" else
           colormaps[name](numpy.arange(256), bytes=True)[:, :3])
    print(f"\nconst unsigned char cmap_{name.lower()}[256][3] = {{")
    for i in range(0, 256, 4):
        cells = ", ".join("{ %d, %d, %d }" % tuple(c) for c in rgb[i:i + 4])
        print(f"    {cells},")
    print("};")


light = sys.argv[1:] == ["light"]
print(LIGHT if light else HEAD, end="")
for name in (("Blues", "Greys", "Reds") if light else
             ("viridis", "magma", "inferno", "plasma", "cividis", "gray", "bluered")):
    table(name)
