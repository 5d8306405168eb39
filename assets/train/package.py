# SPDX-License-Identifier: MIT
"""Checkpoint + tokenizer.json + the demo's text and layer -> a Hugging Face folder with float16 weights.

    python package.py RUN/checkpoint.pt TOKENIZER OUT --layer N --text "..."
"""
import argparse
import os
import shutil

import torch
from tokenizers import Tokenizer

import folder
from model import Decoder, export


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("checkpoint")
    ap.add_argument("tokenizer")
    ap.add_argument("out")
    ap.add_argument("--name", default="mha-viz default (6 layers x 4 heads)")
    ap.add_argument("--layer", type=int, required=True, help="drawn where none is asked for")
    ap.add_argument("--text", required=True, help="read where none is given")
    args = ap.parse_args()

    state = torch.load(args.checkpoint, weights_only=False)
    model = Decoder(Tokenizer.from_file(args.tokenizer).get_vocab_size())
    model.load_state_dict(state["model"])
    export(model, args.out, {"name": args.name, "default_layer": args.layer, "default_text": args.text})
    to = os.path.join(args.out, "tokenizer.json")
    if os.path.abspath(to) != os.path.abspath(args.tokenizer):
        shutil.copyfile(args.tokenizer, to)
    size = folder.size(args.out)
    print(f"step {state['step']}, {size} bytes")
    assert size < 5_000_000


if __name__ == "__main__":
    main()
