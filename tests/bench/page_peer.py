#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people write to see all heads of a text in a browser: transformers and BertViz.

    page_peer.py MODEL TOKENS HTML
"""
import sys

import torch
from bertviz import head_view
from transformers import AutoModel

folder, n, path = sys.argv[1:]
model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
ids = torch.arange(5, 5 + int(n))[None]
with torch.no_grad():
    attention = model(ids, output_attentions=True).attentions
page = head_view(attention, [str(i) for i in ids[0].tolist()], html_action="return")
with open(path, "w", encoding="utf-8") as f:
    f.write(page.data)
