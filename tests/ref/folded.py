#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model whose parts are scaled before they are added, as the same without scales; one with
bottlenecks, as a BERT whose attention reads and writes what theirs does through them.

    python3 tests/ref/folded.py MODEL OUT

multiplies the output projection of each attention by the scale that follows it, which becomes
ones, in the safetensors of the folder MODEL, or projections by those of the bottlenecks; OUT
gets that in float32, and config.json.
"""
import json
import pathlib
import struct
import sys

import numpy as np

from weight import tensors


def reads(found, layer, part, centred):
    """[width of a bottleneck, D], with the gain of its norm."""
    read = found[f"{layer}bottleneck.{part}.dense.weight"].astype(float)
    gain = np.diag(found[f"{layer}bottleneck.{part}.LayerNorm.weight"].astype(float))
    return (gain - gain.mean(axis=1, keepdims=True) if centred else gain) @ read


def as_bert(found, config):
    """The attention of a MobileBERT; embeddings and mlps of any numbers."""
    D, bert, config = config["hidden_size"], {}, {**config}
    every = config.get("use_bottleneck_attention", False)
    centred = config.get("normalization_type") == "layer_norm"
    for l in range(config["num_hidden_layers"]):
        old, new = (f"{name}.encoder.layer.{l}." for name in ("mobilebert", "bert"))
        read = reads(found, old, "input" if every else "attention", centred)
        out = found[old + "output.bottleneck.dense.weight"].astype(float)
        for part in ("query", "key", "value"):
            name = f"attention.self.{part}."
            by = read if every or part != "value" else np.eye(D)
            bert[new + name + "weight"] = found[old + name + "weight"].astype(float) @ by
            bert[new + name + "bias"] = found[old + name + "bias"]
        bert[new + "attention.output.dense.weight"] = \
            out @ found[old + "attention.output.dense.weight"].astype(float)
        for name, shape in (("attention.output.dense.bias", D),
                            ("intermediate.dense.weight", (1, D)),
                            ("intermediate.dense.bias", 1), ("output.dense.weight", (D, 1)),
                            ("output.dense.bias", D), ("attention.output.LayerNorm.weight", D),
                            ("attention.output.LayerNorm.bias", D),
                            ("output.LayerNorm.weight", D), ("output.LayerNorm.bias", D)):
            bert[new + name] = np.zeros(shape)
    for name, shape in (("word_embeddings.weight", (config["vocab_size"], D)),
                        ("position_embeddings.weight", (config["max_position_embeddings"], D)),
                        ("token_type_embeddings.weight", (2, D)), ("LayerNorm.weight", D),
                        ("LayerNorm.bias", D)):
        bert["bert.embeddings." + name] = np.zeros(shape)
    config = {k: config[k] for k in ("hidden_size", "num_hidden_layers", "num_attention_heads",
                                     "vocab_size", "max_position_embeddings")}
    config.update(model_type="bert", intermediate_size=1, head_dim=len(
        found["mobilebert.encoder.layer.0.attention.self.query.bias"]) //
        config["num_attention_heads"])
    return {name: x.astype("<f4") for name, x in bert.items()}, config


def unscaled(found):
    for name in [n for n in found if n.endswith(("layer_scale1.lambda1", "lambda_1"))]:
        layer = name.removesuffix("layer_scale1.lambda1").removesuffix("lambda_1")
        for part in ("weight", "bias"):
            linear = f"{layer}attention.output.dense.{part}"
            found[linear] = (found[linear].T * found[name]).T
        found[name] = np.ones_like(found[name])
    return found


def main(model, out):
    found = {name: x.astype("<f4") for name, x in tensors(model).items()}
    config = json.loads((pathlib.Path(model) / "config.json").read_text())
    if "intra_bottleneck_size" in config:
        found, config = as_bert(found, config)
    else:
        found = unscaled(found)
    header, at = {}, 0
    for name, x in found.items():
        header[name] = {"dtype": "F32", "shape": x.shape, "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    text = json.dumps(header).encode()
    with open(pathlib.Path(out) / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for x in found.values():
            f.write(np.ascontiguousarray(x).tobytes())
    (pathlib.Path(out) / "config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    main(*sys.argv[1:])
