#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU seconds of one thread for statistics of every head over 1,000 sentences (6 to 45 words):
the basic ones and all; and the basic ones alone, without the forward pass, beside NumPy over the
same attention, already in memory.

    metrics.py PROGRAM MODEL [EARLIER [RUNS]]

EARLIER is another mha-viz, or - for none.  The forward pass is a run that keeps the statistics of
one head of the last layer.  Programs run in turn; prints the medians over RUNS (default 3) and
their ratios, once entropies agree within 1e-4.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

SAMPLE = pathlib.Path(__file__).parent.parent.parent / "samples" / "english.txt"
TEXTS = 1000


def corpus(path):
    rng = random.Random(1)
    words = SAMPLE.read_text(encoding="utf-8").split()
    with open(path, "w", encoding="utf-8") as f:
        for i in range(TEXTS):
            at = rng.randrange(len(words))
            print(*(words[at:] + words)[:6 + i * 40 // TEXTS], file=f)


def cpu(*command):
    """Seconds of CPU, and what was printed."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[0]}: status {process.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, out.read().decode()


def basic(a):
    """[heads, N, N] -> the nine numbers of each head."""
    n = a.shape[-1]
    away = np.arange(n)[None] - np.arange(n)[:, None]
    entropy = -(a * np.log(a, where=a > 0, out=np.zeros_like(a))).sum(-1)
    return {
        "entropy": entropy.mean(-1), "entropy_norm": (entropy / np.log(n)).mean(-1),
        "max_mean": a.max(-1).mean(-1), "distance": (a * away).sum(-1).mean(-1),
        "distance_abs": (a * abs(away)).sum(-1).mean(-1),
        "prev": a.diagonal(-1, 1, 2).mean(-1), "self": a.diagonal(0, 1, 2).mean(-1),
        "next": a.diagonal(1, 1, 2).mean(-1), "first": a[..., 0].mean(-1),
    }


def numpy_seconds(program, model, path, folder):
    """Of the basic ones; and the entropies, [texts, heads]."""
    os.mkdir(folder + "/a")
    subprocess.run([program, "export", "-q", "-m", model, "-f", path, "-o", folder + "/a/"],
                   check=True, stdout=subprocess.DEVNULL)
    texts = []
    for name in sorted(os.listdir(folder + "/a")):
        with np.load(os.path.join(folder, "a", name)) as arrays:
            layers = sorted((k for k in arrays if k.startswith("attn.")), key=lambda k: int(k[5:]))
            texts.append(np.concatenate([arrays[k] for k in layers]))
    start = time.process_time()
    found = [basic(a) for a in texts]
    return time.process_time() - start, np.array([x["entropy"] for x in found])


def main(program, model, earlier="-", runs="3"):
    layers = json.loads(cpu(program, "info", "--json", "-m", model)[1])["layers"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts")
        corpus(path)
        peer, entropy = numpy_seconds(program, model, path, folder)
        summary = ["stats", "-q", "--summary", "--tsv", "-t", "1", "-m", model, "-f"]
        forward = ["-l", str(layers - 1), "-H", "0", "--compute", "max_mean"]
        kinds = {"basic": [program, *summary, path],
                 "all": [program, *summary, path, "--compute", "all"],
                 "forward": [program, *summary, path, *forward]}
        if earlier != "-":
            kinds["earlier"] = [earlier, *[x for x in summary if x != "--summary"], path]
            kinds["basic by text"] = [program, *[x for x in summary if x != "--summary"], path]
        seen = {k: [] for k in kinds}
        for _ in range(int(runs)):
            for k, command in kinds.items():
                seconds, printed = cpu(*command)
                seen[k].append(seconds)
                if k == "basic":
                    lines = [x.split("\t") for x in printed.splitlines()]
                    ours = [float(x[lines[0].index("entropy_mean")]) for x in lines[1:]]
                    if abs(ours - entropy.mean(0)).max() > 1e-4:
                        sys.exit("entropies differ")
    median = {k: statistics.median(x) for k, x in seen.items()}
    for k, x in median.items():
        print(f"{k:<14} {x:7.2f} s CPU")
    print(f"all / basic: {median['all'] / median['basic']:.2f}")
    if earlier != "-":
        print(f"basic / earlier: {median['basic by text'] / median['earlier']:.2f}")
    alone = median["basic"] - median["forward"]
    print(f"basic alone: {alone:.2f} s, NumPy {peer:.2f} s: {peer / alone:.1f} times as much")


if __name__ == "__main__":
    main(*sys.argv[1:])
