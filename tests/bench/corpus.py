#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU seconds of one thread for per-head statistics of 1,000 sentences (8 to 64 tokens):
`mha-viz stats --tsv`, its start and its printing included, and transformers (eager, so
that it gives its attention) with entropy, maximum and argmax in PyTorch, model loaded
and warm; in turn.

    corpus.py PROGRAM MODEL [RUNS [BATCH]]

The peer has its best order, by length, and its best batch size.  Prints the medians and
the ratio of the medians.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
               "OMP_NUM_THREADS": "1"}
import torch
from transformers import AutoModel, AutoTokenizer

SAMPLE = pathlib.Path(__file__).parent.parent.parent / "samples" / "english.txt"


def corpus(tok, n):
    """Sentences of 8 to 64 tokens, each length as often, shortest first."""
    rng = random.Random(1)
    words = SAMPLE.read_text(encoding="utf-8").split()
    texts = []
    for i in range(n):
        length = 8 + i * 57 // n
        at = rng.randrange(len(words))
        picked = (words[at:] + words)[:length]
        while len(picked) > 1 and len(tok(" ".join(picked))["input_ids"]) > length:
            picked.pop()
        texts.append(" ".join(picked))
    return texts


def peer(tok, model, texts, batch):
    """What our report says of each head, but for its distances and lists."""
    tokens = 0
    for i in range(0, len(texts), batch):
        inputs = tok(texts[i:i + batch], return_tensors="pt", padding=True)
        mask = inputs["attention_mask"][:, None, :]
        count = mask.sum(-1)
        with torch.inference_mode():
            for a in model(**inputs, output_attentions=True).attentions:
                entropy = (torch.special.entr(a).sum(-1) * mask).sum(-1) / count
                heaviest, link = a.max(-1)
                mean = (heaviest * mask).sum(-1) / count
        tokens += int(count.sum())
    return tokens, entropy, mean, link


def ours(program, model, path):
    with open(os.devnull, "w", encoding="ascii") as null:
        process = subprocess.Popen([program, "stats", "--tsv", "--threads", "1", "-m", model,
                                    "-f", path], stdout=null)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{program}: status {process.returncode}")
    return used.ru_utime + used.ru_stime


def main(program, folder, runs="3", batch="32"):
    torch.set_num_threads(1)
    tok = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    texts = corpus(tok, 1000)
    peer(tok, model, texts[:64], int(batch))
    seen = {"mha-viz": [], "transformers": []}
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as f:
        f.write("\n".join(texts) + "\n")
        f.flush()
        ours(program, folder, f.name)
        for _ in range(int(runs)):
            start = time.process_time()
            tokens, *_ = peer(tok, model, texts, int(batch))
            seen["transformers"].append(time.process_time() - start)
            seen["mha-viz"].append(ours(program, folder, f.name))
    median = {name: statistics.median(times) for name, times in seen.items()}
    for name, cpu in median.items():
        print(f"{name:<14} {cpu:7.2f} s CPU {tokens / cpu:8.0f} tokens a second")
    print(f"ratio: {median['transformers'] / median['mha-viz']:.2f} times less CPU "
          f"({tokens} tokens, medians of {runs})")


if __name__ == "__main__":
    main(*sys.argv[1:])
