#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a tiny model of each way in which quantisers pack weights.

    python3 tests/ref/make_packed.py [CASE ...]

needs what make.py needs, and none of the quantisers.  Numbers, zeros and scales are drawn; what
they stand for is computed here, from each method's own definition, and given to the reference
library as a model of floats, whose results are expected.  A case is a folder of packed/ with
config.json, model.safetensors, expected.json and expected.npz, as make_families.py has them.
"""
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import torch
import transformers as T
from safetensors.torch import save_file

from make_families import decoder, expect, ids_of, spread, write_config

HERE = pathlib.Path(__file__).parent
E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])


def words(fields, bits):
    """Whole numbers below 2^bits in int32s, along the last axis, from the low bits up."""
    per = 32 // bits
    apart = fields.astype(np.uint64).reshape(*fields.shape[:-1], -1, per)
    return (apart << (np.arange(per, dtype=np.uint64) * np.uint64(bits))).sum(-1).astype(
        np.uint32).view(np.int32)


def half(x):
    return x.astype(np.float16)


def e4m3(rng, shape):
    """Bytes without NaN, and what they stand for."""
    byte = rng.integers(0, 256, shape).astype(np.uint8)
    byte[byte & 0x7f == 0x7f] = 0x11
    return torch.tensor(byte).view(torch.float8_e4m3fn), torch.tensor(byte).view(
        torch.float8_e4m3fn).float().numpy().astype(float)


def signed_e2m1(nibble):
    return np.where(nibble & 8, -1, 1) * E2M1[nibble & 7]


def gptq(bits, group, acts, first):
    """first: the form that stores zeros less 1."""
    def pack(rng, out, n):
        groups = n // group if group > 0 else 1
        q = rng.integers(0, 1 << bits, (n, out))
        z = rng.integers(1, 1 << bits, (groups, out))
        s = half(rng.uniform(.5, 1.5, (groups, out)) * .4 / (1 << bits))
        g = np.repeat(np.arange(groups), n // groups)
        g = rng.permutation(g) if acts else g
        weight = (s.astype(float)[g] * (q - z[g])).T
        return weight, {"qweight": np.ascontiguousarray(words(q.T, bits).T),
                        "qzeros": words(z - first, bits), "scales": s,
                        "g_idx": g.astype(np.int32)}
    return pack, {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": acts,
                  "sym": False, "checkpoint_format": "gptq" if first else "gptq_v2"}


def awq(group):
    def pack(rng, out, n):
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        mixed = lambda x: words(x.reshape(len(x), -1, 8)[:, :, order].reshape(len(x), -1), 4)
        q, z = rng.integers(0, 16, (n, out)), rng.integers(0, 16, (n // group, out))
        s = half(rng.uniform(.01, .03, (n // group, out)))
        g = np.arange(n) // group
        return ((q - z[g]) * s.astype(float)[g]).T, {"qweight": mixed(q), "qzeros": mixed(z),
                                                    "scales": s}
    return pack, {"quant_method": "awq", "bits": 4, "group_size": group, "zero_point": True,
                  "version": "gemm"}


def bnb4(kind, nested):
    def pack(rng, out, n):
        code = np.sort(rng.uniform(-1, 1, 16)).astype(np.float32)
        q, blocks = rng.integers(0, 16, out * n), out * n // 64
        state = {"quant_type": kind, "blocksize": 64, "dtype": "float16", "shape": [out, n]}
        parts = {"weight": (q[::2] << 4 | q[1::2]).astype(np.uint8)[:, None],
                 "weight.quant_map": code}
        largest = rng.uniform(.1, .4, blocks).astype(np.float32)
        if nested:
            table = np.sort(rng.uniform(-1, 1, 256)).astype(np.float32)
            at = rng.integers(0, 256, blocks).astype(np.uint8)
            outer = rng.uniform(.05, .1, (blocks + 255) // 256).astype(np.float32)
            state.update(nested_blocksize=256, nested_dtype="float32", nested_offset=.25)
            largest = (table[at] * np.repeat(outer, 256)[:blocks] + np.float32(.25)).astype(
                np.float32)
            parts.update({"weight.nested_absmax": outer, "weight.nested_quant_map": table,
                          "weight.absmax": at})
        else:
            parts["weight.absmax"] = largest
        parts[f"weight.quant_state.bitsandbytes__{kind}"] = np.frombuffer(
            json.dumps(state).encode(), np.uint8)
        weight = half(code[q] * np.repeat(largest, 64)).reshape(out, n)
        return weight.astype(float), parts
    return pack, {"quant_method": "bitsandbytes", "load_in_4bit": True,
                  "bnb_4bit_quant_type": kind, "bnb_4bit_use_double_quant": nested}


def bnb8(rng, out, n):
    q, s = rng.integers(-127, 128, (out, n)), rng.uniform(.2, .4, out).astype(np.float32)
    return q * s.astype(float)[:, None] / 127, {"weight": q.astype(np.int8), "SCB": s,
                                                "weight_format": np.array(0, np.uint8)}


def fp8_channel(rng, out, n):
    byte, value = e4m3(rng, (out, n))
    s = half(rng.uniform(.001, .003, (out, 1)))
    return value * s.astype(float), {"weight": byte, "weight_scale": s}


def fp8_block(rows, columns):
    def pack(rng, out, n):
        byte, value = e4m3(rng, (out, n))
        s = rng.uniform(.001, .003, (-(-out // rows), -(-n // columns))).astype(np.float32)
        whole = np.repeat(np.repeat(s, rows, 0), columns, 1)[:out, :n]
        return value * whole.astype(float), {"weight": byte, "weight_scale_inv": s}
    return pack, {"quant_method": "fp8", "weight_block_size": [rows, columns]}


def integers(bits, group, zeros):
    def pack(rng, out, n):
        q, z = (rng.integers(0, 1 << bits, shape) for shape in ((out, n), (out, n // group)))
        s = half(rng.uniform(.5, 1.5, (out, n // group)) * .4 / (1 << bits))
        less = z if zeros else np.full_like(z, 1 << (bits - 1))
        weight = (q.reshape(out, -1, group) - less[..., None]) * s.astype(float)[..., None]
        parts = {"weight_packed": words(q, bits), "weight_scale": s,
                 "weight_shape": np.array([out, n])}
        if zeros:
            parts["weight_zero_point"] = np.ascontiguousarray(words(z.T, bits).T)
        return weight.reshape(out, n), parts
    return pack, tensors("pack-quantized", num_bits=bits, type="int", strategy="group",
                         group_size=group, symmetric=not zeros)


def nvfp4(rng, out, n):
    q, whole = rng.integers(0, 16, (out, n)), np.array([4000], np.float32)
    byte, s = e4m3(rng, (out, n // 16))
    weight = signed_e2m1(q).reshape(out, -1, 16) * (s / float(whole[0]))[..., None]
    return weight.reshape(out, n), {
        "weight_packed": (q[:, ::2] | q[:, 1::2] << 4).astype(np.uint8), "weight_scale": byte,
        "weight_global_scale": whole}


def tensors(form, **weights):
    return {"quant_method": "compressed-tensors", "quantization_status": "compressed",
            "ignore": ["lm_head"], "format": form, "config_groups": {"group_0": {
                "targets": ["Linear"], "weights": {"dynamic": False, **weights}}}}


CASES = {
    "gptq2": gptq(2, 16, False, True), "gptq4": gptq(4, 32, True, True),
    "gptq8": gptq(8, -1, False, False), "awq": awq(32), "nf4": bnb4("nf4", True),
    "fp4": bnb4("fp4", False),
    "int8": (bnb8, {"quant_method": "bitsandbytes", "load_in_8bit": True}),
    "fp8": (fp8_channel, tensors("float-quantized", num_bits=8, type="float",
                                 strategy="channel", symmetric=True)),
    "fp8_block": fp8_block(40, 48), "int4": integers(4, 32, False),
    "int4_zeros": integers(4, 32, True),
    "nvfp4": (nvfp4, tensors("nvfp4-pack-quantized", num_bits=4, type="float",
                             strategy="tensor_group", group_size=16, symmetric=True)),
}


def make(folder, name):
    pack, method = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    config = T.LlamaConfig(**{**decoder(2, 1, 32), "num_hidden_layers": 1, "intermediate_size": 64,
                              "vocab_size": 24})
    model = T.LlamaForCausalLM(config)
    spread(model, sum(name.encode()))
    model = model.half().float()
    stored = {k: v.half() for k, v in model.state_dict().items() if "_proj" not in k}
    for k, linear in model.named_modules():
        if not k.endswith("_proj"):
            continue
        weight, parts = pack(rng, linear.out_features, linear.in_features)
        linear.weight.data = torch.tensor(weight.astype(np.float32))
        stored.update({f"{k}.{part}": x if torch.is_tensor(x) else torch.tensor(x)
                       for part, x in parts.items()})
    save_file(stored, folder / "model.safetensors", {"format": "pt"})
    write_config(folder, model, "float16", 5,
                 lambda config: config.update(quantization_config=method))
    with tempfile.TemporaryDirectory() as plain:
        model.save_pretrained(plain)
        expect(pathlib.Path(plain), name, T.LlamaForCausalLM,
               [ids_of(rng, 11, 24), ids_of(rng, 6, 24)], None, None, None)
        for expected in pathlib.Path(plain).glob("expected.*"):
            shutil.copyfile(expected, folder / expected.name)


def main(names):
    torch.set_num_threads(1)
    for name in names or CASES:
        folder = HERE / "packed" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder, name)
        print(name, sum(f.stat().st_size for f in folder.iterdir()) // 1024, "KB")


if __name__ == "__main__":
    main(sys.argv[1:])
