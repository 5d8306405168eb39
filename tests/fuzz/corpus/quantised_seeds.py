#!/usr/bin/env python3
"""Writes the seeds of the quantised fuzz target beside itself: one small linear in each layout,
and some that are wrong in one way.  Needs only Python."""
import json
import pathlib
import struct

here = pathlib.Path(__file__).resolve().parent / "quantised"
SIZE = {"F32": 4, "F16": 2, "I32": 4, "I64": 8, "I8": 1, "U8": 1, "F8_E4M3": 1}


def seed(name, config, tensors):
    """tensors: name -> (dtype, shape[, bytes])"""
    header, data = {}, b""
    for key, (dtype, shape, *given) in tensors.items():
        n = SIZE[dtype]
        for d in shape:
            n *= d
        part = given[0] if given else bytes((7 * k + 3) % 61 for k in range(n))
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + n]}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    whole = {"model_type": "llama", "quantization_config": config}
    (here / name).write_bytes(json.dumps(whole, separators=(",", ":")).encode() + b"\0" +
                              struct.pack("<Q", len(text)) + text + data)


def gptq(bits, fmt, order=True):
    config = {"quant_method": "gptq", "bits": bits, "group_size": 16, "checkpoint_format": fmt}
    tensors = {"k.qweight": ("I32", [bits, 16]), "k.qzeros": ("I32", [2, bits // 2]),
               "k.scales": ("F16", [2, 16])}
    if order:
        tensors["k.g_idx"] = ("I32", [32], struct.pack("<32i", *[k % 2 for k in range(32)]))
    return config, tensors


def compressed(fmt, weights, tensors):
    return {"quant_method": "compressed-tensors", "format": fmt,
            "config_groups": {"g": {"weights": weights}}}, tensors


here.mkdir(exist_ok=True)
seed("gptq2", *gptq(2, "gptq_v2", False))
seed("gptq4", *gptq(4, "gptq"))
seed("gptq8", *gptq(8, "gptq"))
config, tensors = gptq(4, "gptq")
seed("gptq_order", config, {**tensors, "k.g_idx": ("I32", [32])})
seed("gptq_groups", {**config, "group_size": 12}, tensors)
seed("awq", {"quant_method": "awq", "bits": 4, "group_size": 8},
     {"k.qweight": ("I32", [16, 2]), "k.qzeros": ("I32", [2, 2]), "k.scales": ("F16", [2, 16])})
bnb4 = {"quant_method": "bitsandbytes", "load_in_4bit": True}
state = {"shape": [3, 5], "blocksize": 4, "dtype": "bfloat16"}
nested = {**state, "nested_blocksize": 2, "nested_offset": .5}
for name, says, absmax in ("bnb4", state, "F32"), ("bnb4_nested", nested, "U8"):
    text = json.dumps(says).encode()
    tensors = {"k.weight": ("U8", [8, 1]), "k.weight.absmax": (absmax, [4]),
               "k.weight.quant_map": ("F32", [16]),
               "k.weight.quant_state.bitsandbytes__nf4": ("U8", [len(text)], text)}
    if says is nested:
        tensors["k.weight.nested_absmax"] = ("F32", [2])
        tensors["k.weight.nested_quant_map"] = ("F32", [256])
    seed(name, bnb4, tensors)
seed("bnb8", {"quant_method": "bitsandbytes", "load_in_8bit": True},
     {"k.weight": ("I8", [3, 5]), "k.SCB": ("F32", [3]), "k.weight_format": ("U8", [1], b"\0")})
seed("ct_float", *compressed("float-quantized", {"num_bits": 8},
                             {"k.weight": ("F8_E4M3", [3, 5]), "k.weight_scale": ("F32", [3, 1])}))
seed("ct_int", *compressed("pack-quantized",
                           {"num_bits": 4, "symmetric": False, "group_size": 6},
                           {"k.weight_packed": ("I32", [10, 2]), "k.weight_scale": ("F16", [10, 2]),
                            "k.weight_shape": ("I64", [2], struct.pack("<2q", 10, 12)),
                            "k.weight_zero_point": ("I32", [2, 2])}))
seed("ct_shape", *compressed("pack-quantized", {"num_bits": 8, "strategy": "channel"},
                             {"k.weight_packed": ("I32", [2, 1]), "k.weight_scale": ("F16", [2, 1]),
                              "k.weight_shape": ("I64", [2], struct.pack("<2q", 2, -3))}))
seed("nvfp4", *compressed("nvfp4-pack-quantized", {"num_bits": 4},
                          {"k.weight_packed": ("U8", [2, 16]), "k.weight_scale": ("F8_E4M3", [2, 2]),
                           "k.weight_global_scale": ("F32", [1])}))
seed("fp8", {"quant_method": "fp8", "weight_block_size": [2, 4]},
     {"k.weight": ("F8_E4M3", [3, 5]), "k.weight_scale_inv": ("F32", [2, 2])})
seed("mxfp4", {"quant_method": "mxfp4"},
     {"x_blocks": ("U8", [2, 3, 1, 16]), "x_scales": ("U8", [2, 3, 1])})
