#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `mha-viz report` beside BertViz's head view of the same heads of the same tokens,
in turn, each run a new process: bytes, CPU seconds, elapsed seconds.

    page.py PROGRAM [RUNS]
    page.py --model FOLDER LAYERS HEADS WIDTH       random weights, for this and page.mjs

300 tokens, 72 heads of random weights, whose scores have the spread of a trained model's.
Fails where the page is not 20 times smaller, or is not made 100 times faster.  Exit status 77
without torch, transformers or BertViz.
"""
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile

from cold import PEER, measure

TOKENS, LAYERS, HEADS, WIDTH = 300, 6, 12, 8
SMALLER, FASTER = 20, 100


def make_model(folder, layers, heads, width):
    import torch
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(7)
    config = BertConfig(vocab_size=2000, hidden_size=heads * width, num_hidden_layers=layers,
                        num_attention_heads=heads, intermediate_size=heads * width,
                        max_position_embeddings=512, initializer_range=1.27 / (heads * width) ** .5)
    BertModel(config).eval().save_pretrained(folder)


def main(program, runs="5"):
    for package in ("torch", "transformers", "bertviz"):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: no {package}: {sys.executable} -m pip install {package}")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        model, ours, theirs = (f"{folder}/{name}" for name in ("model", "ours.html", "peer.html"))
        # in a process of its own: what is measured would count the memory of this one
        subprocess.run([sys.executable, __file__, "--model", model, str(LAYERS), str(HEADS),
                        str(WIDTH)], check=True)
        ids = ",".join(str(5 + i) for i in range(TOKENS))
        candidates = {
            "mha-viz report": [program, "report", "-q", "-m", model, "-o", ours, "--ids", ids],
            "transformers + bertviz": [sys.executable, str(PEER.with_name("page_peer.py")), model,
                                       str(TOKENS), theirs],
        }
        seen = {name: [] for name in candidates}
        for argv in candidates.values():        # files into the page cache
            measure(argv)
        for _ in range(int(runs)):
            for name, argv in candidates.items():
                seen[name].append(measure(argv))
        sizes = [os.path.getsize(path) for path in (ours, theirs)]
    median = {n: [statistics.median(column) for column in zip(*rows)] for n, rows in seen.items()}
    for (name, (cpu, elapsed, mib)), size in zip(median.items(), sizes):
        print(f"{name:<26} {cpu:8.3f} s CPU {elapsed:8.3f} s elapsed {mib:8.1f} MiB at most "
              f"{size / 1e6:8.2f} MB of file")
    (cpu, elapsed, _), (peer_cpu, peer_elapsed, _) = median.values()
    smaller, faster = sizes[1] / sizes[0], peer_elapsed / elapsed
    print(f"ratio: {smaller:.1f} times smaller, {faster:.0f} times less time, "
          f"{peer_cpu / cpu:.0f} times less CPU (medians of {runs})")
    return smaller >= SMALLER and faster >= FASTER


if __name__ == "__main__":
    if sys.argv[1] == "--model":
        make_model(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        sys.exit(0 if main(*sys.argv[1:]) else 1)
