#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of --weight norm and value, by NumPy in double from what export --all writes.

    python3 tests/ref/weight.py plain.npz weighted.npz MODEL TENSOR PREFIX

plain.npz: of export --all; weighted.npz: of export --weight with the same options, whose array
`weight` says which.  MODEL: the folder of safetensors; TENSOR: the name of the output
projection with {} for the layer, and .T after it where it is stored [in, out].  PREFIX: attn,
dec or cross.  Says where a weight is off by more than 1e-6.
"""
import glob
import json
import os
import struct
import sys

import numpy as np


def tensors(folder):
    """Name -> array of every .safetensors in the folder; bfloat16 by its bits."""
    kinds, found = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}, {}
    for path in glob.glob(os.path.join(folder, "*.safetensors")):
        data = open(path, "rb").read()
        size = struct.unpack("<Q", data[:8])[0]
        for name, t in json.loads(data[8:8 + size]).items():
            if name != "__metadata__" and t["dtype"] in kinds:
                first, end = (8 + size + at for at in t["data_offsets"])
                x = np.frombuffer(data[first:end], kinds[t["dtype"]]).reshape(t["shape"])
                bits = t["dtype"] == "BF16"
                found[name] = (x.astype("<u4") << 16).view("<f4") if bits else x
    return found


def main(plain, weighted, folder, tensor, prefix):
    plain, weighted = np.load(plain), np.load(weighted)
    model = tensors(folder)
    kind = str(weighted["weight"][0])
    inner = "" if prefix == "attn" else prefix + "."
    worst, layer = 0.0, 0
    assert kind in ("norm", "value") and "weight" not in plain.files, kind
    while f"{prefix}.{layer}" in plain.files:
        a = plain[f"{prefix}.{layer}"].astype(np.float64)
        v = plain[f"{inner}v.{layer}"].astype(np.float64)
        heads, d = a.shape[0], v.shape[2]
        v = np.repeat(v, heads // len(v), 0)
        if kind == "norm":
            w = model[tensor.format(layer).removesuffix(".T")].astype(np.float64)
            w = w if tensor.endswith(".T") else w.T
            v = np.stack([v[h] @ w[h * d:(h + 1) * d] for h in range(heads)])
        length = np.sqrt((v * v).sum(2))[:, None, :]
        # big_bird: attn has one copy of each key, eff all of them
        whole = plain[f"eff.{layer}"] if f"eff.{layer}" in plain.files else a
        b = a * length / (whole * length).sum(2, keepdims=True)
        worst = max(worst, np.abs(b - weighted[f"{prefix}.{layer}"]).max())
        layer += 1
    if layer == 0 or not worst <= 1e-6:
        sys.exit(f"{kind}: {layer} layers, a weight is off by {worst:.2g}, at most 1e-6")


if __name__ == "__main__":
    main(*sys.argv[1:])
