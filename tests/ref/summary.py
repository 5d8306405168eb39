#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stats --summary against formulas written down once more, of the program's own numbers per text.

    tests/ref/summary.py PROGRAM LINES.jsonl KEY [OPTION ...]

The texts in LINES are grouped by KEY.  Compared: mean, sd, both intervals, reliability, and of
groups the difference, its interval, p and q.  Prints how many numbers it compared; exits with 1
at the first that differs by more than 1e-9 of it."""
import bisect
import itertools
import json
import math
import statistics
import subprocess
import sys

METRICS = ("entropy", "prev", "induction_covered")
MASK = (1 << 64) - 1


def run(program, *args):
    found = subprocess.run([program, "stats", "-q", "--json", *args], check=True,
                           stdout=subprocess.PIPE)
    return [json.loads(line) for line in found.stdout.splitlines()]


# ---- Student's distribution: its density, integrated by Simpson's rule ----

def tail(t, nu):
    """P(|T| >= t) by the substitution T = sqrt(nu) tan x, where the density is a power of cos."""
    n = 2000
    a, b = math.atan(t / math.sqrt(nu)), math.pi / 2

    def area(low, high):
        h = (high - low) / n
        values = [max(0.0, math.cos(low + k * h)) ** (nu - 1) for k in range(n + 1)]
        return h / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
    return area(a, b) / area(0, b)


QUANTILES = {}


def quantile_of_t(nu):
    if nu not in QUANTILES:
        low, high = 0.0, 100.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle, nu) > 0.05 else (low, middle)
        QUANTILES[nu] = high
    return QUANTILES[nu]


# ---- chance ----

def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def chance(turn, text):
    return mix(mix(mix(1) ^ turn) ^ text)


CDF = list(itertools.accumulate(math.exp(-1) / math.factorial(k) for k in range(19)))


def weight(replicate, text):
    return bisect.bisect_right(CDF, (chance(replicate, text) >> 11) * 2.0 ** -53)


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    i = int(at)
    return values[i] + (at - i) * (values[min(i + 1, len(values) - 1)] - values[i])


# ---- one group ----

def estimate(pairs):
    """Of (number of the text, value)."""
    values = [v for _, v in pairs]
    n = len(values)
    want = {"n": n, "mean": statistics.fmean(values) if n else None}
    if n < 2:
        return {**want, "sd": None, "low": None, "high": None, "boot_low": None,
                "boot_high": None}
    sd = statistics.stdev(values)
    half = quantile_of_t(n - 1) * sd / math.sqrt(n)
    means = []
    for b in range(200):
        w = [weight(b, text) for text, _ in pairs]
        if sum(w):
            means.append(sum(a * v for a, v in zip(w, values)) / sum(w))
    return {**want, "sd": sd, "low": want["mean"] - half, "high": want["mean"] + half,
            "boot_low": quantile(means, 0.025), "boot_high": quantile(means, 0.975)}


def correlation(pairs):
    return statistics.correlation(*zip(*pairs))


def reliability(heads):
    """Of the (text, value) pairs of each head."""
    found = []
    for split in range(100):
        means = []
        for pairs in heads:
            halves = [[v for t, v in pairs if chance(split, t) & 1 == bit] for bit in (0, 1)]
            if all(halves):
                means.append([statistics.fmean(half) for half in halves])
        if len(means) > 1 and all(max(x) - min(x) > 1e-12 for x in zip(*means)):
            found.append(correlation(means))
    if not found:
        return {"r": None, "low": None, "high": None, "whole": None}
    r = quantile(found, 0.5)
    return {"r": r, "low": quantile(found, 0.05), "high": quantile(found, 0.95),
            "whole": 2 * r / (1 + r)}


# ---- two groups ----

def exact(first, second):
    values, n, hits, ways = first + second, len(first), 0, 0
    given = abs(statistics.fmean(second) - statistics.fmean(first))
    for chosen in itertools.combinations(range(len(values)), n):
        one = [values[i] for i in chosen]
        other = [v for i, v in enumerate(values) if i not in chosen]
        ways += 1
        hits += abs(statistics.fmean(other) - statistics.fmean(one)) >= given * (1 - 1e-9) - 1e-12
    return hits / ways


def contrast(first, second, n_texts):
    x, y = [v for _, v in first], [v for _, v in second]
    want = {"difference": statistics.fmean(y) - statistics.fmean(x) if x and y else None,
            "difference_low": None, "difference_high": None, "p": None}
    if len(x) > 1 and len(y) > 1:
        of_x, of_y = statistics.variance(x) / len(x), statistics.variance(y) / len(y)
        s = math.sqrt(of_x + of_y)
        if s > 0:
            nu = (of_x + of_y) ** 2 / (of_x ** 2 / (len(x) - 1) + of_y ** 2 / (len(y) - 1))
            half = quantile_of_t(nu) * s
            want["difference_low"] = want["difference"] - half
            want["difference_high"] = want["difference"] + half
            want["p"] = tail(abs(want["difference"]) / s, nu)
    if n_texts <= 20:
        want["p"] = exact(x, y) if x and y else None
    return want


def adjust(found):
    """Sets q, by Benjamini and Hochberg."""
    order = sorted((c for c in found if c["p"] is not None), key=lambda c: c["p"])
    for c in found:
        c["q"] = None
    for rank, c in enumerate(order):
        c["q"] = min(1, min(d["p"] * len(order) / (k + 1)
                            for k, d in enumerate(order) if k >= rank))


# ---- comparison ----

class Compared:
    def __init__(self):
        self.n = 0

    def same(self, what, found, want, tolerance=1e-9):
        self.n += 1
        if (found is None) != (want is None) or (
                want is not None and abs(found - want) > tolerance * abs(want) + 1e-12):
            sys.exit(f"{what}: found {found}, expected {want}")


def values_of(texts, head, metric):
    return [(t["index"], t["heads"][head][metric]) for t in texts
            if t["heads"][head][metric] is not None]


def main(program, lines, key, *options):
    options = ("--metric", ",".join(METRICS), *options)
    texts = run(program, *options, "--jsonl", "-f", lines)
    with open(lines, encoding="utf-8") as file:
        named = [json.loads(line)[key] for line in file]
    found = run(program, *options, "--summary", "--reliability", "--bootstrap=200", "--by", key,
                "--jsonl", "-f", lines)
    compared = Compared()
    groups = [[t for t in texts if str(named[t["index"]]) == g["group"]] for g in found]
    assert sum(map(len, groups)) == len(texts)
    for g, group in zip(found, groups):
        compared.same("n_texts", g["n_texts"], len(group))
        alike = {row["metric"]: row for row in g["reliability"]}
        for metric in METRICS:
            heads = range(len(g["heads"]))
            all_pairs = [values_of(group, h, metric) for h in heads]
            want = [{**estimate(pairs)} for pairs in all_pairs]
            if group is not groups[0]:
                against = [contrast(values_of(groups[0], h, metric), all_pairs[h],
                                    len(groups[0]) + len(group)) for h in heads]
                adjust(against)
                want = [{**a, **b} for a, b in zip(want, against)]
            for h in heads:
                for name, value in want[h].items():
                    compared.same(f"{g['group']}: head {h}: {metric}.{name}",
                                  g["heads"][h][metric][name], value)
            for name, value in reliability(all_pairs).items():
                compared.same(f"{g['group']}: reliability of {metric}: {name}",
                              alike[metric][name], value)
    print(f"{compared.n} numbers")


if __name__ == "__main__":
    main(*sys.argv[1:])
