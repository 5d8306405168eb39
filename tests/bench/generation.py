#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tokens per second of greedy generation, of a LLaMA shape with random weights (12 layers of
768, 12 heads, 2,048 in the MLP, 32,000 tokens) in a GGUF file of each type: mha-viz and an
earlier mha-viz, in turn.

    generation.py PROGRAM [EARLIER [RUNS [TOKENS]]]

EARLIER is another mha-viz, or - for none; it must continue with the same tokens.  A program
is run for TOKENS + 1 tokens (256 where none are given) and for one, RUNS times (5), and the
difference counts: start, prompt and report are in both.  One thread, 16 tokens of prompt.  Prints
TSV: tokens per second, from the fastest run, and the median over pairs of the ratio of times to
mha-viz's.
"""
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTH, MLP, LAYERS, HEADS, VOCABULARY, PROMPT = 768, 2048, 12, 12, 32000, 16
TYPE = {"f32": 0, "bf16": 30, "q8_0": 8, "q4_k": 12}


# ---- the model ----

def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def key(name, value):
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, int):
        return text(name) + struct.pack("<II", 4, value)
    return text(name) + struct.pack("<If", 6, value)


def half(x):
    return np.frombuffer(np.float16(x).tobytes(), "u1")


def weights(kind, n, rng):
    """n numbers of about 0.02 as a file of that type has them."""
    if kind in ("f32", "bf16"):
        x = (rng.standard_normal(n) * 0.02).astype("<f4")
        return x.tobytes() if kind == "f32" else (x.view("<u4") >> 16).astype("<u2").tobytes()
    if kind == "q8_0":
        block = rng.integers(0, 256, (n // 32, 34), "u1")
        block[:, :2] = half(0.0003)
    else:
        block = rng.integers(0, 256, (n // 256, 144), "u1")
        block[:, :2], block[:, 2:4] = half(0.00014), half(0.00105)
        block[:, 4:12], block[:, 12:16] = 32, 0     # four scales and minima of 32, four of 0
    return block.tobytes()


def tensors(kind):
    yield "token_embd.weight", (VOCABULARY, WIDTH), kind
    for i in range(LAYERS):
        for name in "attn_norm", "ffn_norm":
            yield f"blk.{i}.{name}.weight", (WIDTH,), "f32"
        for name in "q", "k", "v", "output":
            yield f"blk.{i}.attn_{name}.weight", (WIDTH, WIDTH), kind
        for name in "gate", "up":
            yield f"blk.{i}.ffn_{name}.weight", (MLP, WIDTH), kind
        yield f"blk.{i}.ffn_down.weight", (WIDTH, MLP), kind
    yield "output_norm.weight", (WIDTH,), "f32"
    yield "output.weight", (VOCABULARY, WIDTH), kind


def write_model(path, kind):
    rng = np.random.default_rng(1)
    keys = {"general.architecture": "llama", "llama.block_count": LAYERS,
            "llama.context_length": 2048, "llama.embedding_length": WIDTH,
            "llama.feed_forward_length": MLP, "llama.attention.head_count": HEADS,
            "llama.attention.head_count_kv": HEADS, "llama.vocab_size": VOCABULARY,
            "llama.rope.dimension_count": WIDTH // HEADS,
            "llama.attention.layer_norm_rms_epsilon": 1e-5, "tokenizer.ggml.model": "none"}
    infos, data = [], b""
    for name, shape, stored in tensors(kind):
        infos.append(text(name) + struct.pack("<I", len(shape)) +
                     b"".join(struct.pack("<Q", n) for n in reversed(shape)) +
                     struct.pack("<IQ", TYPE[stored], len(data)))
        some = (np.ones(shape, "<f4").tobytes() if len(shape) == 1
                else weights(stored, shape[0] * shape[1], rng))
        data += some + bytes(-len(some) % 32)
    head = (struct.pack("<4sIQQ", b"GGUF", 3, len(infos), len(keys)) +
            b"".join(key(*k) for k in keys.items()) + b"".join(infos))
    with open(path, "wb") as f:
        f.write(head + bytes(-len(head) % 32) + data)


# ---- those who generate: CPU seconds, wall and what came out ----

def run(program, model, n, given):
    command = [program, "stats", "-q", "--json", "-t", "1", "-m", model, "-l", "0", "-H", "0",
               "--ids", ",".join(map(str, range(1, PROMPT + 1))), "--generate", str(n), *given]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{program}: status {process.returncode}")
    wall = time.perf_counter() - start
    return used.ru_utime + used.ru_stime, wall, json.loads(out)["generated"]


def ours(program, model, n, given=()):
    one, many = run(program, model, 1, given), run(program, model, n + 1, given)
    return many[0] - one[0], many[1] - one[1], many[2]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")),
                    platform.machine())


def main(program, earlier="-", runs="5", tokens="256"):
    n = int(tokens)
    sides = {"mha-viz": lambda m: ours(program, m, n)}
    if earlier != "-":
        sides["earlier"] = lambda m: ours(earlier, m, n)
    version = subprocess.run([program, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.splitlines()[0]
    print(f"# {version}; {processor()}; kernel {os.environ.get('MHA_VIZ_KERNEL', 'fastest')}; "
          f"1 thread; load {os.getloadavg()[0]:.1f}")
    print("weights\twho\ttokens per CPU s\ttokens per s\ttime / mha-viz, CPU\twall")
    for kind in TYPE:
        seen = {who: [] for who in sides}
        with tempfile.NamedTemporaryFile(suffix=".gguf") as f:
            write_model(f.name, kind)
            for _ in range(int(runs)):
                for who, side in sides.items():
                    seen[who].append(side(f.name))
        if "earlier" in seen and seen["earlier"][0][2] != seen["mha-viz"][0][2]:
            sys.exit(f"{kind}: {earlier} continues with other tokens")
        for who, runs_of in seen.items():
            pairs = list(zip(runs_of, seen["mha-viz"]))
            print(f"{kind}\t{who}\t{n / min(r[0] for r in runs_of):.1f}\t"
                  f"{n / min(r[1] for r in runs_of):.1f}\t"
                  f"{statistics.median(a[0] / b[0] for a, b in pairs):.2f}\t"
                  f"{statistics.median(a[1] / b[1] for a, b in pairs):.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
