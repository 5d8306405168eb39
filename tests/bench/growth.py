#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws time and memory of every mechanism against the length of the text.

    tests/bench/growth.py POINTS.tsv FIGURE.png

POINTS.tsv is what tests/bench/mechanisms writes; both axes are logarithmic, so that a slope is
an exponent.  Needs matplotlib.
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main(points, figure):
    with open(points) as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    names = list(dict.fromkeys(r["mechanism"] for r in rows))
    fig, axes = plt.subplots(2, 2, figsize=(12, 9), sharex=True)
    for column, mask in enumerate(("full", "causal")):
        for row, (value, label) in enumerate((("ms", "time (ms)"), ("KiB", "memory (KiB)"))):
            axis = axes[row][column]
            for i, name in enumerate(names):
                line = [(float(r["N"]), float(r[value])) for r in rows
                        if r["mechanism"] == name and r["mask"] == mask]
                axis.loglog(*zip(*line), marker="os^v"[i // 10 % 4], ms=4, color=f"C{i % 10}",
                            label=name)
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
        axes[0][column].set_title(mask)
        axes[1][column].set_xlabel("tokens")
    axes[0][1].legend(loc="center left", bbox_to_anchor=(1, 0))
    fig.savefig(figure, dpi=100, bbox_inches="tight")
    print(f"drawn to {figure}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
