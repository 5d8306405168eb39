#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory and time of a quantised model against the same sizes in F16.

    tests/bench/quantised.py MHA-VIZ [RUNS [BEFORE]]

Writes models of the shape of llama with 113 million parameters in their linears into a
temporary folder: F16, and packed as GPTQ (4 bits in groups of 128, which follow each other, and
act-order, where the inputs of a group lie anywhere), AWQ, NF4, NVFP4, E4M3 and E5M2 in blocks of
128x128, 8 bits of bitsandbytes by row, and 8 bits of compressed-tensors in groups of 128, each with
random bits.  Each is run over 16 and over 512 tokens on one thread, a new process each time, and in
turn; the median of RUNS (default 3).  A line has the
bytes of the file, the largest memory that the process held (mapped pages of the file included)
and its CPU seconds, with the ratio to F16; of BEFORE, another program, the seconds beside it.
Needs NumPy."""
import json
import os
import pathlib
import statistics
import struct
import sys
import tempfile

import numpy as np

L, D, F, V, H = 12, 768, 3072, 1000, 12
LINEARS = {"self_attn.q_proj": (D, D), "self_attn.k_proj": (D, D), "self_attn.v_proj": (D, D),
           "self_attn.o_proj": (D, D), "mlp.gate_proj": (F, D), "mlp.up_proj": (F, D),
           "mlp.down_proj": (D, F)}
CONFIG = {"model_type": "llama", "num_hidden_layers": L, "num_attention_heads": H, "hidden_size": D,
          "intermediate_size": F, "vocab_size": V, "max_position_embeddings": 2048,
          "tie_word_embeddings": True}
NAMES = {np.dtype("f4"): "F32", np.dtype("f2"): "F16", np.dtype("i4"): "I32",
         np.dtype("i8"): "I64", np.dtype("u1"): "U8", np.dtype("i1"): "I8"}
rng = np.random.default_rng(1)


def halves(shape, scale=.02):
    return (rng.standard_normal(shape, np.float32) * scale).astype("f2")


def small(kind, codes):
    """Bytes as floats of 8 bits: what the file calls them, and the array."""
    return kind, codes.astype("u1")


def f16(k, out, n):
    return {k + ".weight": halves((out, n))}


def gptq(k, out, n):
    return {k + ".qweight": rng.integers(-2**31, 2**31, (n // 8, out), np.int32),
            k + ".qzeros": np.full((n // 128, out // 8), 0x77777777, np.int32),
            k + ".scales": np.full((n // 128, out), .004, "f2"),
            k + ".g_idx": (np.arange(n) // 128).astype("i4")}


def act_order(k, out, n):
    return {**gptq(k, out, n), k + ".g_idx": rng.permutation(np.arange(n) // 128).astype("i4")}


def awq(k, out, n):
    return {k + ".qweight": rng.integers(-2**31, 2**31, (n, out // 8), np.int32),
            k + ".qzeros": np.full((n // 128, out // 8), 0x77777777, np.int32),
            k + ".scales": np.full((n // 128, out), .004, "f2")}


def nf4(k, out, n):
    state = json.dumps({"shape": [out, n], "blocksize": 64, "dtype": "float16"}).encode()
    k += ".weight"
    return {k: rng.integers(0, 256, (out * n // 2, 1), np.uint8),
            k + ".absmax": np.full(out * n // 64, .04, "f4"),
            k + ".quant_map": np.linspace(-1, 1, 16, dtype="f4"),
            k + ".quant_state.bitsandbytes__nf4": np.frombuffer(state, "u1")}


def fp8(k, out, n):
    return {k + ".weight": small("F8_E4M3", rng.integers(0, 0x60, (out, n), np.uint8)),
            k + ".weight_scale_inv": np.full((-(-out // 128), -(-n // 128)), .002, "f4")}


def e5m2(k, out, n):
    return {**fp8(k, out, n), k + ".weight": small("F8_E5M2", rng.integers(0, 0x60, (out, n), np.uint8))}


def bytes_by_row(k, out, n):
    return {k + ".weight": rng.integers(-127, 128, (out, n), np.int8),
            k + ".SCB": np.full(out, .04, "f4")}


def nvfp4(k, out, n):
    return {k + ".weight_packed": rng.integers(0, 256, (out, n // 2), np.uint8),
            k + ".weight_scale": small("F8_E4M3", rng.integers(0x30, 0x60, (out, n // 16), np.uint8)),
            k + ".weight_global_scale": np.array([400], "f4")}


def int8(k, out, n):
    return {k + ".weight_packed": rng.integers(-2**31, 2**31, (out, n // 4), np.int32),
            k + ".weight_scale": np.full((out, n // 128), .0002, "f2"),
            k + ".weight_shape": np.array([out, n], "i8")}


def compressed(form, **weights):
    return {"quant_method": "compressed-tensors", "format": form, "ignore": ["lm_head"],
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}


KINDS = {
    "F16": (f16, None),
    "GPTQ 4": (gptq, {"quant_method": "gptq", "bits": 4, "group_size": 128}),
    "act-order": (act_order, {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True}),
    "AWQ 4": (awq, {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm"}),
    "NF4": (nf4, {"quant_method": "bitsandbytes", "load_in_4bit": True}),
    "NVFP4": (nvfp4, compressed("nvfp4-pack-quantized", num_bits=4, type="float", group_size=16,
                                strategy="tensor_group", symmetric=True)),
    "E4M3": (fp8, {"quant_method": "fp8", "weight_block_size": [128, 128]}),
    "E5M2": (e5m2, {"quant_method": "fp8", "weight_block_size": [128, 128]}),
    "bnb 8": (bytes_by_row, {"quant_method": "bitsandbytes", "load_in_8bit": True}),
    "INT8": (int8, compressed("pack-quantized", num_bits=8, type="int", group_size=128,
                              strategy="group", symmetric=True)),
}


def write(folder, linear, packing):
    tensors = {"model.embed_tokens.weight": halves((V, D)), "model.norm.weight": np.ones(D, "f2")}
    for layer in range(L):
        at = f"model.layers.{layer}."
        for k, (out, n) in LINEARS.items():
            tensors.update(linear(at + k, out, n))
        for norm in "input_layernorm", "post_attention_layernorm":
            tensors[f"{at}{norm}.weight"] = np.ones(D, "f2")
    header, end = {}, 0
    named = {name: x if isinstance(x, tuple) else (NAMES[x.dtype], x) for name, x in tensors.items()}
    for name, (dtype, x) in named.items():
        header[name] = {"dtype": dtype, "shape": list(x.shape), "data_offsets": [end, end + x.nbytes]}
        end += x.nbytes
    text = json.dumps(header).encode()
    with open(folder / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, x in named.values():
            f.write(x.tobytes())
    more = {} if packing is None else {"quantization_config": packing}
    (folder / "config.json").write_text(json.dumps({**CONFIG, **more}))


def run(viz, folder, tokens):
    """CPU seconds and MiB of one process."""
    ids = ",".join(str(4 + 7 * i % (V - 4)) for i in range(tokens))
    argv = [viz, "stats", "-m", str(folder), "--ids", ids, "-t", "1", "-o", str(folder / "out.tsv")]
    pid = os.spawnv(os.P_NOWAIT, viz, argv)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(argv[:4])}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(programs, runs):
    print("weights    tokens  file MiB  memory MiB        CPU seconds" + "   before" * (len(programs) - 1))
    with tempfile.TemporaryDirectory() as work:
        folders = {name: pathlib.Path(work) / name.replace(" ", "") for name in KINDS}
        for name, folder in folders.items():
            folder.mkdir()
            write(folder, *KINDS[name])
        for tokens in 16, 512:
            seen = {}
            for i in range(runs + 1):
                for name, folder in folders.items():
                    for viz in programs:
                        seen.setdefault((name, viz), []).append(run(viz, folder, tokens))
            median = {key: [statistics.median(s[i] for s in of[1:]) for i in range(2)]
                      for key, of in seen.items()}
            for name, folder in folders.items():
                size = (folder / "model.safetensors").stat().st_size / 2**20
                (seconds, memory), was = median[name, programs[0]], median["F16", programs[0]]
                print(f"{name:9}  {tokens:6}  {size:8.0f}  {memory:6.0f} ({memory / was[1]:.2f})"
                      f"  {seconds:8.2f} ({seconds / was[0]:.2f})" +
                      "".join(f"  {median[name, viz][0]:6.2f}" for viz in programs[1:]), flush=True)


if __name__ == "__main__":
    main([os.path.realpath(p) for p in sys.argv[1:2] + sys.argv[3:4]],
         int(sys.argv[2]) if len(sys.argv) > 2 else 3)
