#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes parts.json: which tensors the reference library makes under which keys.

    python3 tests/ref/make_parts.py

needs what make.py needs.  Each row has a case of make_families.py, the keys that are added to
its configuration, that configuration, and the tensors of the model with their shapes.
"""
import json
import pathlib
import tempfile

from safetensors import safe_open

import make_families

HERE = pathlib.Path(__file__).parent

# Case, then what its configuration says besides.
KEYS = (
    ("llama", {"attention_bias": True}), ("llama", {"mlp_bias": True}),
    ("gemma", {"attention_bias": True}), ("gemma2", {"attention_bias": True}),
    ("gemma3_both_ways", {"attention_bias": True}), ("qwen3", {"attention_bias": True}),
    ("qwen3_moe", {"attention_bias": True}), ("olmo2", {"attention_bias": True}),
    ("deepseek_v2", {"mlp_bias": True, "attention_bias": False}),
    ("deepseek_v2_plain", {"attention_bias": True}),
    ("deepseek_v3", {"attention_bias": True}),
    ("modernbert", {"attention_bias": False, "mlp_bias": False, "norm_bias": False,
                    "decoder_bias": False}),
    ("modernbert", {"classifier_bias": True}),
    ("big_bird", {"use_bias": False}), ("starcoder2", {"use_bias": False}),
    ("starcoder2", {"use_bias": True}), ("gpt_neox", {"attention_bias": False}),
    ("opt", {"enable_bias": False}), ("opt", {"layer_norm_elementwise_affine": False}),
    ("opt", {"word_embed_proj_dim": 14}), ("falcon", {"bias": True}),
    ("falcon_new", {"bias": True}), ("vit", {"qkv_bias": False}), ("vit", {"qkv_bias": True}),
    ("phi", {"qk_layernorm": False}), ("albert", {"embedding_size": 24}),
    ("electra", {"embedding_size": 10}), ("deberta", {"embedding_size": 16}),
    # Keys that a family does not have change nothing.
    ("mistral", {"attention_bias": True, "mlp_bias": True}),
    ("qwen2", {"attention_bias": False, "bias": True}),
    ("gpt_neo", {"attention_bias": True}), ("phi3", {"attention_bias": True}),
    ("t5", {"use_bias": True}),
)


def main():
    rows = []
    for name, keys in KEYS:
        kind, config, _ = make_families.CASES[name]
        made = kind.config_class(**{**config, **keys})
        model = kind(made)
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            written = json.loads((pathlib.Path(folder) / "config.json").read_text())
            with safe_open(pathlib.Path(folder) / "model.safetensors", "pt") as f:
                tensors = {n: f.get_slice(n).get_shape() for n in f.keys()}
        written.update(keys)
        for key in ("label2id", "transformers_version"):
            written.pop(key, None)
        rows.append({"case": name, "keys": keys, "config": written, "tensors": tensors})
    text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / "parts.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
