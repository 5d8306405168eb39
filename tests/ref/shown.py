#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--hide, --renorm and --merge words, by NumPy in double from what export writes.

    python3 tests/ref/shown.py PROGRAM export.npz stats.json [--keys cross]

Reads the attention of an export, and a report of `stats --json` with any of the options; says
where entropy, entropy_norm, max_mean, distances, prev, self, next, first, links, top and
rows_skipped are others than the formulas below give.  GROUPS in the environment: the word of
each token, separated by commas (--merge words), of queries and keys alike.
"""
import json
import os
import sys

import numpy as np


def merged(a, hide_q, hide_k, groups, renorm):
    """Rows [words, words] of one head, and what of it is shown and visible."""
    a = a.astype(np.float64)
    visible = a > 0
    visible[:, hide_k] = False
    a = np.where(visible, a, 0)
    seen = a.sum(1) > 0
    if renorm:
        a[seen] /= a[seen].sum(1, keepdims=True)
    if groups is None:
        return a, visible, np.array([i not in hide_q for i in range(len(a))])
    n = max(groups) + 1
    out, vis, shown = np.zeros((n, n)), np.zeros((n, n), bool), np.zeros(n, bool)
    for g in range(n):
        rows = [i for i in range(len(a)) if groups[i] == g and i not in hide_q]
        shown[g] = len(rows) > 0
        rows = [i for i in rows if seen[i]]
        for j in range(a.shape[1]):
            if rows:
                out[g, groups[j]] += a[rows, j].mean()
                vis[g, groups[j]] |= visible[rows, j].any()
    return out, vis, shown


def mean(values):
    return float(np.mean(values)) if len(values) else None


def metrics(a, visible, shown, gone, one_axis, causal):
    n, n_keys = a.shape
    rows = [i for i in range(n) if shown[i] and a[i].sum() > 0]
    entropy = {}
    for i in rows:
        p = a[i][a[i] > 0] / a[i].sum()
        entropy[i] = -(p * np.log(p)).sum()
    away = np.arange(n_keys)[None, :] - np.arange(n)[:, None]
    place = lambda d: mean([a[i, i + d] for i in rows if 0 <= i + d < n and i + d not in gone])
    return {
        "entropy": mean(list(entropy.values())),
        "entropy_norm": mean([entropy[i] / np.log(visible[i].sum()) for i in rows
                              if visible[i].sum() > 1]),
        "max_mean": mean([a[i].max() for i in rows]),
        "distance": mean([(a[i] * away[i]).sum() for i in rows]) if one_axis else None,
        "distance_abs": mean([(a[i] * abs(away[i])).sum() for i in rows]) if one_axis else None,
        "prev": place(-1) if one_axis else None, "self": place(0) if one_axis else None,
        "next": place(1) if one_axis else None,
        "first": None if 0 in gone else mean([a[i, 0] for i in rows]),
        "rows_skipped": int(sum(shown)) - len(rows),
    }


def differs(want, got):
    if want is None or got is None:
        return want is not got
    return abs(want - got) > 2e-6 * max(1, abs(want))


def check_links(a, visible, shown, head):
    rows = [i for i in range(len(a)) if shown[i]]
    bad = [link[0] for link in head["links"]] != rows
    for (i, j, w) in head["links"]:
        best = a[i].max()
        bad |= abs(w - best) > 1e-6 or (j is None) != (best == 0) or \
            (j is not None and best - a[i, j] > 1e-6)
    top = np.sort(a[rows][visible[rows]])[::-1][:len(head["top"])]
    bad |= any(abs(w - t) > 1e-6 or abs(a[i, j] - w) > 1e-6 or not shown[i]
               for (i, j, w), t in zip(head["top"], top))
    return bad


def main():
    arrays, report = np.load(sys.argv[1]), json.load(open(sys.argv[2]))
    groups = os.environ.get("GROUPS_OF")
    groups = [int(g) for g in groups.split(",")] if groups else None
    hide_k = json.loads(os.environ.get("HIDE_KEYS", "[]"))
    hide_q = json.loads(os.environ.get("HIDE_QUERIES", os.environ.get("HIDE_KEYS", "[]")))
    n_bad = 0
    for head in report["heads"]:
        prefix = "cross" if head["stack"] == "cross" else "attn"
        raw = arrays[f"{prefix}.{head['layer']}"][head["head"]]
        a, visible, shown = merged(raw, hide_q, hide_k, groups, report.get("renorm", False))
        gone = set(hide_k) if groups is None else \
            {g for g in groups if all(i in hide_k for i, x in enumerate(groups) if x == g)}
        want = metrics(a, visible, shown, gone, prefix == "attn", True)
        bad = [k for k in want if differs(want[k], head[k])]
        if check_links(a, visible, shown, head):
            bad.append("links")
        for name in bad:
            print(head["layer"], head["head"], name, want.get(name), head.get(name))
        n_bad += len(bad)
    print(f"{len(report['heads'])} heads, {n_bad} numbers differ")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
