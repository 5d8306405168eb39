#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes blocks.npz: for every quantised type that is read, blocks of random bytes and the
floats that the gguf package (0.19.0) makes of them.

The f16 scales inside the blocks are random too; where they would be infinite or no number, the
block is drawn again.  MXFP4 has a power of two, any.  One block of each type is all zero bits, one all ones but its scales.

    pip install numpy gguf==0.19.0; tests/ref/gguf_blocks/make.py
"""
import pathlib

import gguf
import numpy as np

TYPES = "Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL IQ4_XS MXFP4".split()
SCALES = {"Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
          "Q4_1": [0, 2], "Q5_1": [0, 2]}


def main():
    rng = np.random.default_rng(20240607)
    out = {}
    for name in TYPES:
        qtype = gguf.GGMLQuantizationType[name]
        block, size = gguf.GGML_QUANT_SIZES[qtype]
        n = 6 if block == 256 else 16
        data = rng.integers(0, 256, (n, size), dtype=np.uint8)
        data[0] = 0
        data[1] = 255
        for at in SCALES.get(name, [] if name == "MXFP4" else [0]):
            halves = data[:, at:at + 2].copy().view(np.float16)[:, 0]
            while not np.isfinite(halves).all():
                wrong = ~np.isfinite(halves)
                halves[wrong] = rng.integers(0, 65536, wrong.sum(), dtype=np.uint16) \
                    .view(np.float16)
            data[:, at:at + 2] = halves.view(np.uint8).reshape(n, 2)
        out[name + ".blocks"] = data
        out[name + ".values"] = gguf.quants.dequantize(data, qtype).reshape(-1)
    np.savez(pathlib.Path(__file__).parent / "blocks.npz", **out)


if __name__ == "__main__":
    main()
