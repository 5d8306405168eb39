#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model whose parts are scaled before they are added, as the same without scales.

    python3 tests/ref/folded.py MODEL OUT

multiplies the output projection of each attention by the scale that follows it, which becomes
ones, in the safetensors of the folder MODEL; OUT gets that in float32, and config.json.
"""
import json
import pathlib
import shutil
import struct
import sys

import numpy as np

from weight import tensors


def main(model, out):
    found = {name: x.astype("<f4") for name, x in tensors(model).items()}
    for name in [n for n in found if n.endswith(("layer_scale1.lambda1", "lambda_1"))]:
        layer = name.removesuffix("layer_scale1.lambda1").removesuffix("lambda_1")
        for part in ("weight", "bias"):
            linear = f"{layer}attention.output.dense.{part}"
            found[linear] = (found[linear].T * found[name]).T
        found[name] = np.ones_like(found[name])
    header, at = {}, 0
    for name, x in found.items():
        header[name] = {"dtype": "F32", "shape": x.shape, "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    text = json.dumps(header).encode()
    with open(pathlib.Path(out) / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for x in found.values():
            f.write(np.ascontiguousarray(x).tobytes())
    shutil.copy(pathlib.Path(model) / "config.json", out)


if __name__ == "__main__":
    main(*sys.argv[1:])
