#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/fuzz/corpus/layer from tests/ref/layers: two bytes of options (heads, and
bits: norm first, gelu, shaw, memory), then a layer.

    python3 tests/fuzz/corpus/layer_seeds.py
"""
from pathlib import Path

HERE = Path(__file__).parent
LAYERS = HERE.parent.parent / "ref" / "layers"
SEEDS = {"q_linear": (3, 0), "separable": (0, 0), "relative": (0, 0), "shaw": (0, 4),
         "encoder_separable": (0, 0), "torch_kdim": (3, 0), "torch_bias_kv": (3, 8),
         "torch_encoder_first": (3, 1), "torch_decoder_layer": (3, 2)}

(HERE / "layer").mkdir(exist_ok=True)
for name, options in SEEDS.items():
    (HERE / "layer" / name).write_bytes(
        bytes(options) + (LAYERS / f"{name}.safetensors").read_bytes())
