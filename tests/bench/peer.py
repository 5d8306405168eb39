#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people write to see the heads of a layer: transformers and matplotlib.

    peer.py MODEL LAYER PNG TEXT
    peer.py MODEL LAYER PNG ids:LIST        of as many tokens that labels would be too many
"""
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from transformers import AutoModel, AutoTokenizer

torch.set_num_threads(1)        # fewer CPU seconds than with two
folder, layer, path, text = sys.argv[1:]
model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
tokens = []
if text.startswith("ids:"):
    inputs = {"input_ids": torch.tensor([[int(x) for x in text[4:].split(",")]])}
else:
    tok = AutoTokenizer.from_pretrained(folder)
    inputs = tok(text, return_tensors="pt")
    tokens = tok.convert_ids_to_tokens(inputs["input_ids"][0])
with torch.no_grad():
    attn = model(**inputs, output_attentions=True).attentions[int(layer)][0].numpy()
rows = -(-len(attn) // 4)
figure, axes = plt.subplots(rows, 4, figsize=(16, 4 * rows))
for head, axis in enumerate(axes.flat):
    image = axis.imshow(attn[head], cmap="viridis")
    axis.set_title(f"Head {head}")
    if tokens:
        axis.set_xticks(range(len(tokens)), tokens, rotation=90)
        axis.set_yticks(range(len(tokens)), tokens)
    figure.colorbar(image, ax=axis)
figure.tight_layout()
figure.savefig(path)
