#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes rope/: rotary positions of the reference library.

    python3 tests/ref/make_rope.py

needs what make.py needs.  PyTorch's powers differ in the last digit from one vector unit to
the next; here it takes those of the C library.  frequencies.json has configurations and the inverse frequencies
that the library makes of them, as the bits of their floats; `long` are those of a text over
the original length.  long_96 and long_100 are models of one layer whose heads are as wide,
with rows.npz: some rows of attention of a text of 3,000 tokens, whose ids are (7 i i + 3 i)
mod 16, and those rows of the last hidden states.
"""
import json
import os
import pathlib

os.environ["ATEN_CPU_CAPABILITY"] = "default"

import numpy as np
import torch
import transformers as T
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

HERE = pathlib.Path(__file__).parent
OUT = HERE / "rope"
WIDTHS = (6, 10, 24, 64, 80, 96, 100, 128, 160)
N = 3000
ROWS = (1500, 2500, 2999)

SCALINGS = {
    "default": {},
    "linear": {"factor": 3.0},
    "dynamic": {"factor": 2.5},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 512},
    "yarn": {"factor": 6.0, "original_max_position_embeddings": 512},
    "yarn_open": {"rope_type": "yarn", "factor": 4.0, "truncate": False, "beta_fast": 20.0,
                  "beta_slow": 2.0, "original_max_position_embeddings": 256},
    "longrope": {"original_max_position_embeddings": 512},
}


def bits(tensor):
    return tensor.detach().float().numpy().view(np.uint32).tolist()


def made(config):
    """What the library's module of rotary positions holds, short and long."""
    with torch.device("meta"):
        kind = type(T.AutoModel.from_config(config).rotary_emb)
    row = {"inv_freq": bits(kind(config).inv_freq)}
    if config.rope_parameters["rope_type"] == "longrope":
        row["long"] = bits(ROPE_INIT_FUNCTIONS["longrope"](config, None, seq_len=N)[0])
    return row


def case(kind, width, theta, name, parameters, **more):
    scaling = {"rope_type": name, "rope_theta": theta, **parameters}
    if scaling["rope_type"] == "longrope":
        columns = int(width * parameters.get("partial_rotary_factor", 1)) // 2
        scaling["short_factor"] = [1 + 0.37 * i for i in range(columns)]
        scaling["long_factor"] = [1.5 + 1.21 * i for i in range(columns)]
    config = dict(model_type=kind, hidden_size=2 * width, num_attention_heads=2,
                  num_hidden_layers=1, intermediate_size=8, vocab_size=16,
                  max_position_embeddings=4096, pad_token_id=None, rope_parameters=scaling, **more)
    if kind != "gpt_neox":
        config["num_key_value_heads"] = 2
    if kind == "llama":
        config["head_dim"] = width
    library = T.AutoConfig.for_model(**json.loads(json.dumps(config)))
    return {"config": config, **made(library)}


def frequencies():
    rows = []
    for width in WIDTHS:
        for theta in (10000.0, 500000.0):
            for name, parameters in SCALINGS.items():
                rows.append(case("llama", width, theta, name, parameters))
    for kind, share in ("phi", 0.4), ("phi3", 0.75), ("gpt_neox", 0.25):
        rows.append(case(kind, 80, 10000.0, "default", {"partial_rotary_factor": share}))
    return rows


def long_text(width):
    torch.manual_seed(width)
    config = T.LlamaConfig(
        vocab_size=16, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, num_key_value_heads=1, head_dim=width,
        max_position_embeddings=4096, initializer_range=0.9, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    model = T.LlamaModel._from_config(config, attn_implementation="eager").eval()
    folder = OUT / f"long_{width}"
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    i = torch.arange(N)
    with torch.no_grad():
        out = model(input_ids=((7 * i * i + 3 * i) % 16)[None], output_attentions=True)
    rows = list(ROWS)
    np.savez(folder / "rows.npz", rows=np.array(rows, np.int32),
             attention=out.attentions[0][0, 0, rows].numpy(),
             hidden=out.last_hidden_state[0, rows].numpy())


def main():
    OUT.mkdir(exist_ok=True)
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in frequencies())
    (OUT / "frequencies.json").write_text(f"[\n{rows}\n]\n")
    for width in 96, 100:
        long_text(width)


main()
