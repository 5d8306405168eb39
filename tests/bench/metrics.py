#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU seconds of one thread for statistics of every head over 1,000 sentences (6 to 45 words):
the basic ones and all; and the statistics without the forward pass beside NumPy, all heads of a
text in one array, over the same attention, already in memory; and beside PyTorch where there is
one, text by text or in padded batches of texts of like lengths, whichever is faster.

    metrics.py PROGRAM MODEL [EARLIER [RUNS [WORDS]]]

EARLIER is another mha-viz, or - for none.  WORDS: 24 texts of so many words in place of the
sentences.  "more" are the basic numbers and 26 others that attention alone decides.  The forward
pass is a run of all heads of the last layer: of L layers it has the statistics of one, and they
are L / (L - 1) of what the others add.  Programs run in turn;
prints the medians over RUNS (default 3) and their ratios, once each number agrees with NumPy
within 1e-4 of the largest.

Where the statistics are less than what the forward pass varies by, subtracting shows nothing:
tests/bench/statistics beside the program, where it was built, measures them over rows of the same
lengths by themselves (entropies come with the softmax, as in a pass).
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


def corpus(path, n_words):
    rng = random.Random(1)
    words = SAMPLE.read_text(encoding="utf-8").split()
    with open(path, "w", encoding="utf-8") as f:
        for i in range(24 if n_words else TEXTS):
            at = rng.randrange(len(words))
            print(*(words[at:] + words)[:n_words or 6 + i * 40 // TEXTS], file=f)


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
        "rows of entropy": entropy, "entropy": entropy.mean(-1), "entropy_norm": (entropy / np.log(n)).mean(-1),
        "max_mean": a.max(-1).mean(-1), "distance": (a * away).sum(-1).mean(-1),
        "distance_abs": (a * abs(away)).sum(-1).mean(-1),
        "prev": a.diagonal(-1, 1, 2).mean(-1), "self": a.diagonal(0, 1, 2).mean(-1),
        "next": a.diagonal(1, 1, 2).mean(-1), "first": a[..., 0].mean(-1),
    }


def more(a):
    """[heads, N, N] of a text whose keys are all seen -> the basic numbers and 26 others."""
    n = a.shape[-1]
    out = basic(a)
    away = abs(np.arange(n)[None] - np.arange(n)[:, None])
    entropy = out.pop("rows of entropy")
    smooth = np.float32(.9999) * a + np.float32(1e-4 / n)
    largest = np.sort(a)[..., ::-1].cumsum(-1)
    mean = (a * (np.arange(n)[None] - np.arange(n)[:, None])).sum(-1)
    square = (a * a).sum(-1)
    column = a.mean(1)
    order = np.sort(column)
    back = np.tril(np.ones((n, n), dtype=np.float32))
    back[:, 0] = 0
    out |= {
        "entropy_clark": -(smooth * np.log(smooth)).sum(-1).mean(-1),
        "neff": np.exp(entropy).mean(-1), "neff_of_mean": np.exp(entropy.mean(-1)),
        "participation": (1 / square).mean(-1), "kl_uniform": (np.log(n) - entropy).mean(-1),
        "uniformity_gap_norm": (1 - entropy / np.log(n)).mean(-1),
        "tv_uniform": abs(a - np.float32(1 / n)).sum(-1).mean(-1) / 2,
        "frob2": square.sum(-1), "k90": ((largest < .9 - 1e-6).sum(-1) + 1).mean(-1),
        "tau_uniform": (a < .01 / n).mean((-2, -1)),
        "tau_rowmax": (a < np.float32(.01) * a.max(-1, keepdims=True)).mean((-2, -1)),
        "distance_sd": np.sqrt(np.maximum((a * away * away).sum(-1) - mean * mean, 0)).mean(-1),
        "distance_norm": ((a * away).sum(-1) / away.max(-1)).mean(-1),
        "distance_vig": (a * away * back).sum((-2, -1)) / (a * back).sum((-2, -1)),
        "pattern_vertical": order[:, -1] + order[:, -2],
        "pattern_diagonal": sum(a.diagonal(d, 1, 2).mean(-1) for d in (-1, 0, 1)),
    }
    for k in (1, 2, 4, 8, 16):
        out[f"top{k}_mass"] = largest[..., min(k, n) - 1].mean(-1)
        out[f"local_{k}"] = (a * (away <= k)).sum((-2, -1)) / n
    return out


# ---- the basic numbers in PyTorch ----

def torch_basic(torch, a, lengths):
    """[texts, heads, N, N], padded with 0 where texts are shorter -> [texts, heads] of each."""
    n = a.shape[-1]
    count = torch.tensor(lengths, dtype=torch.float32)[:, None]
    place = torch.arange(n, dtype=torch.float32)
    away = place[None] - place[:, None]
    flat = a.flatten(-2)
    entropy = torch.special.entr(a).sum((-2, -1))
    both = flat @ torch.stack((away.flatten(), away.abs().flatten()), 1)
    return {
        "entropy": entropy / count, "entropy_norm": entropy / count / count.log(),
        "max_mean": a.amax(-1).sum(-1) / count,
        "distance": both[..., 0] / count, "distance_abs": both[..., 1] / count,
        "prev": a.diagonal(-1, -2, -1).sum(-1) / (count - 1),
        "self": a.diagonal(0, -2, -1).sum(-1) / count,
        "next": a.diagonal(1, -2, -1).sum(-1) / (count - 1),
        "first": a[..., 0].sum(-1) / count,
    }


def padded(torch, texts, size):
    """Batches of `size` texts, sorted by length."""
    order = sorted(texts, key=lambda a: a.shape[-1])
    for at in range(0, len(order), size):
        some = order[at:at + size]
        n = some[-1].shape[-1]
        batch = torch.zeros(len(some), some[0].shape[0], n, n)
        for i, a in enumerate(some):
            batch[i, :, :a.shape[-1], :a.shape[-1]] = torch.from_numpy(a)
        yield batch, [a.shape[-1] for a in some]


def torch_peer(texts):
    """The least seconds, the size of its batches, and the mean of each number; None: no torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    best = None
    with torch.inference_mode():
        for size in (1, 4, 16):
            batches = list(padded(torch, texts, size))      # made before: captured like that
            torch_basic(torch, *batches[0])
            start = time.process_time()
            found = [torch_basic(torch, *x) for x in batches]
            seconds = time.process_time() - start
            if best is None or seconds < best[0]:
                best = (seconds, size, {k: torch.cat([x[k] for x in found]).mean(0).numpy()
                                        for k in found[0]})
            del batches
    return best


def attention(program, model, path, folder):
    """Of each text: [layers * heads, N, N]."""
    os.mkdir(folder + "/a")
    subprocess.run([program, "export", "-q", "-m", model, "-f", path, "-o", folder + "/a/"],
                   check=True, stdout=subprocess.DEVNULL)
    texts = []
    for name in sorted(os.listdir(folder + "/a")):
        with np.load(os.path.join(folder, "a", name)) as arrays:
            layers = sorted((k for k in arrays if k.startswith("attn.")), key=lambda k: int(k[5:]))
            texts.append(np.concatenate([arrays[k] for k in layers]))
    return texts


def peer(numbers, texts):
    """Its seconds, and the mean of each number over the texts, [layers * heads]."""
    start = time.process_time()
    found = [numbers(a) for a in texts]
    seconds = time.process_time() - start
    return seconds, {k: np.mean([x[k] for x in found], 0) for k in found[0] if " " not in k}


def check(printed, theirs):
    """Ends the program where a number of the TSV is another than NumPy's."""
    lines = [x.split("\t") for x in printed.splitlines()]
    for k, want in theirs.items():
        ours = np.array([float(x[lines[0].index(k + "_mean")]) for x in lines[1:]])
        off = abs(ours - want).max()
        if not off <= 1e-4 * max(1, abs(want).max()):
            sys.exit(f"{k}: {off} off")


def by_themselves(program, texts):
    """Seconds of the statistics of texts of these lengths, by kind; {}: the bench is not built."""
    for folder in ("build", "."):
        bench = pathlib.Path(program).resolve().parent / folder / "tests" / "bench" / "statistics"
        if bench.exists():
            lengths = ",".join(str(a.shape[-1]) for a in texts)
            lines = [x.split() for x in cpu(str(bench), lengths, "5")[1].splitlines()]
            return {x[1]: float(x[-4]) for x in lines}      # of the fastest kernel, the last one
    return {}


def main(program, model, earlier="-", runs="3", n_words="0"):
    layers = json.loads(cpu(program, "info", "--json", "-m", model)[1])["layers"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts")
        corpus(path, int(n_words))
        texts = attention(program, model, path, folder)
        peers = {"basic": peer(basic, texts), "more": peer(more, texts)}
        summary = ["stats", "-q", "--summary", "--tsv", "-t", "1", "-m", model, "-f"]
        torch = torch_peer(texts)
        kinds = {"basic": [program, *summary, path],
                 "more": [program, *summary, path, "--metric", ",".join(peers["more"][1])],
                 "all": [program, *summary, path, "--metric", "all"],
                 "last layer": [program, *summary, path, "-l", str(layers - 1)]}
        if earlier != "-":
            kinds["earlier"] = [earlier, *[x for x in summary if x != "--summary"], path]
            kinds["basic by text"] = [program, *[x for x in summary if x != "--summary"], path]
        seen = {k: [] for k in kinds}
        for _ in range(int(runs)):
            for k, command in kinds.items():
                seconds, printed = cpu(*command)
                seen[k].append(seconds)
                if k in peers:
                    check(printed, peers[k][1])
                if k == "basic" and torch is not None:
                    check(printed, torch[2])
    median = {k: statistics.median(x) for k, x in seen.items()}
    for k, x in median.items():
        print(f"{k:<14} {x:7.2f} s CPU")
    print(f"all / basic: {median['all'] / median['basic']:.2f}")
    if earlier != "-":
        print(f"basic / earlier: {median['basic by text'] / median['earlier']:.2f}")
    basic_alone = (median["basic"] - median["last layer"]) * layers / (layers - 1)
    for k, (seconds, numbers) in peers.items():
        alone = median[k] - median["basic"] + basic_alone
        print(f"{k} alone ({len(numbers)} numbers): {alone:.2f} s, NumPy {seconds:.2f} s: "
              f"{seconds / alone:.1f} times as much")
    for k, alone in by_themselves(program, texts).items():
        if k in peers:
            print(f"{k} in cache: {alone:.3f} s, NumPy {peers[k][0] / alone:.1f} times as much"
                  + (f", PyTorch {torch[0] / alone:.1f}" if torch and k == "basic" else ""))
    if torch is not None:
        print(f"basic alone: PyTorch {torch[0]:.2f} s, {torch[1]} texts at a time: "
              f"{torch[0] / basic_alone:.1f} times as much")


if __name__ == "__main__":
    main(*sys.argv[1:])
