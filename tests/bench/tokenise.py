#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tokenisers beside the tokenizers package in one run: seconds of the processor to open
one and, warm and on one thread, to encode 1 MB of text line by line.

    tokenise.py ENCODE TOKENIZERS TEXT [RUNS]

ENCODE is the program of encode.c; TOKENIZERS a folder of folders with tokenizer.json, TEXT
a file of which the first 1 MB is taken (a shorter one again and again).  Vocabularies of
150,000 are made by large_tokenizer.py.  The package has its faster way, a batch of all
lines.  Prints the best of RUNS and the ratios; fails where the ids of the two differ or a
large vocabulary takes 0.3 s.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ |= {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
from tokenizers import Tokenizer

NAMES = ["bert_uncased", "bert_cased", "gpt2", "roberta", "llama3", "qwen2", "gpt4o",
         "deepseek", "llama2", "llama_metaspace", "gemma", "albert", "t5", "xlmr"]
LARGE = ["bpe", "pairs", "unigram"]
SIZE = 1_000_000
LIMIT_S = 0.3


def best(runs, fn):
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        result = fn()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def compare(encode, folder, text, lines, runs):
    with tempfile.NamedTemporaryFile() as ids:
        out = subprocess.run([encode, folder, text, str(runs), ids.name], check=True,
                             capture_output=True, text=True).stdout.split()
        ours = memoryview(ids.read()).cast("i").tolist()
    path = str(folder / "tokenizer.json")
    peer_open, tok = best(runs, lambda: Tokenizer.from_file(path))
    tok.no_padding()
    tok.no_truncation()
    peer_run, encoded = best(runs, lambda: tok.encode_batch(lines))
    same = ours == [i for e in encoded for i in e.ids]
    opened, run = float(out[0]), float(out[1])
    print(f"{folder.name:<16} open {opened * 1e3:8.1f} ms {peer_open * 1e3:8.1f} ms "
          f"{peer_open / opened:6.2f} x   1 MB {run * 1e3:8.1f} ms {peer_run * 1e3:8.1f} ms "
          f"{peer_run / run:6.2f} x   {len(ours)} ids {'equal' if same else 'DIFFER'}",
          flush=True)
    return same and (folder.name not in LARGE or opened < LIMIT_S)


def main(encode, folder, source, runs="3", *only):
    here = pathlib.Path(__file__).parent
    # Whole lines; the package is given the same, without their ends.
    text = pathlib.Path(source).read_bytes()
    text = (text * (SIZE // len(text) + 1))[:SIZE].rpartition(b"\n")[0] + b"\n"
    lines = text.decode("utf-8").split("\n")[:-1]
    good = True
    with tempfile.TemporaryDirectory() as temp:
        cut = pathlib.Path(temp) / "text"
        cut.write_bytes(text)
        print("                 ours, the package, times faster")
        for name in only or LARGE + NAMES:
            where = pathlib.Path(folder) / name
            if name in LARGE:
                where = pathlib.Path(temp) / name
                subprocess.run([sys.executable, here / "large_tokenizer.py", where, name],
                               check=True)
            if not where.is_dir():
                print(f"{name}: skipped, {where} is not there")
                continue
            good &= compare(encode, where, cut, lines, int(runs))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
