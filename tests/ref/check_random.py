#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models of random weights, whose heads are nothing: which labels `mha-viz types` gives them, by
probes alone and over a corpus.

    check_random.py PROGRAM CORPUS SEEDS

One of the heads is planted: of the first GPT-2, L3H7 turns days into the next ones.  And the
successor_p of circuits is the binomial tail of its successor, times heads and classes.

For each seed from 1 to SEEDS a GPT-2 and a BERT for each of two scales of the weights, of 4 layers
of 8 heads; days, months, numbers and letters are single tokens.  Printed: the number of heads,
and how many have each label, in the order of their names.  Needs NumPy."""
import collections
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy

LAYERS, HEADS, WIDTH, POSITIONS = 4, 8, 16, 160
D = HEADS * WIDTH
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = ("January February March April May June July August September October November "
          "December").split()


def vocabulary(corpus):
    words = re.findall(r"\w+|[^\w\s]", corpus)
    letters = [chr(ord("A") + i) for i in range(26)]
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return list(dict.fromkeys(special + DAYS + MONTHS + [str(i + 1) for i in range(100)] +
                              letters + words))


def tokeniser(words, template):
    special = [{"id": i, "content": words[i], "special": True, "single_word": False,
                "lstrip": False, "rstrip": False, "normalized": False} for i in range(4)]
    ends = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    pair = ends + [{"Sequence": {"id": "B", "type_id": 0}}, ends[2]]
    named = {k: {"id": k, "ids": [words.index(k)], "tokens": [k]} for k in ("[CLS]", "[SEP]")}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
            "normalizer": None, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None,
            "post_processor": {"type": "TemplateProcessing", "single": ends, "pair": pair,
                               "special_tokens": named} if template else None,
            "model": {"type": "WordLevel", "vocab": {w: i for i, w in enumerate(words)},
                      "unk_token": "[UNK]"}}


def gpt2(words):
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": LAYERS,
              "n_head": HEADS, "n_embd": D, "n_positions": POSITIONS, "vocab_size": len(words),
              "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new",
              "tie_word_embeddings": True}
    shape = {"wte.weight": (len(words), D), "wpe.weight": (POSITIONS, D)}
    norms = ["ln_f"]
    for i in range(LAYERS):
        norms += [f"h.{i}.ln_1", f"h.{i}.ln_2"]
        for name, inner, outer in (("attn.c_attn", D, 3 * D), ("attn.c_proj", D, D),
                                   ("mlp.c_fc", D, 4 * D), ("mlp.c_proj", 4 * D, D)):
            shape[f"h.{i}.{name}.weight"] = (inner, outer)
            shape[f"h.{i}.{name}.bias"] = (outer,)
    return config, shape, norms


def bert(words):
    config = {"model_type": "bert", "architectures": ["BertModel"], "num_hidden_layers": LAYERS,
              "num_attention_heads": HEADS, "hidden_size": D, "intermediate_size": 4 * D,
              "max_position_embeddings": POSITIONS, "vocab_size": len(words),
              "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}
    shape = {"embeddings.word_embeddings.weight": (len(words), D),
             "embeddings.position_embeddings.weight": (POSITIONS, D),
             "embeddings.token_type_embeddings.weight": (2, D)}
    norms = ["embeddings.LayerNorm"]
    for i in range(LAYERS):
        at = f"encoder.layer.{i}"
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
        for name, inner, outer in (("attention.self.query", D, D), ("attention.self.key", D, D),
                                   ("attention.self.value", D, D),
                                   ("attention.output.dense", D, D),
                                   ("intermediate.dense", D, 4 * D), ("output.dense", 4 * D, D)):
            shape[f"{at}.{name}.weight"] = (outer, inner)
            shape[f"{at}.{name}.bias"] = (outer,)
    return config, shape, norms


def write(folder, made, words, scale, seed, template, plant=None):
    config, shape, norms = made
    rng = numpy.random.default_rng(seed)
    tensors = {k: scale * rng.standard_normal(s) for k, s in shape.items()}
    for name in norms:
        tensors |= {name + ".weight": numpy.ones(D), name + ".bias": numpy.zeros(D)}
    if plant:
        plant(tensors, words)
    header, data = {}, []
    at = 0
    for name, x in tensors.items():
        data.append(numpy.ascontiguousarray(x, dtype="<f4").tobytes())
        header[name] = {"dtype": "F32", "shape": list(x.shape),
                        "data_offsets": [at, at + len(data[-1])]}
        at += len(data[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text +
                                               b"".join(data))
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokeniser(words, template)))


def successor(tensors, words):
    """L3H7 reads each day and writes the next one; the first mlp adds nothing."""
    days = [tensors["wte.weight"][words.index(day)] for day in DAYS]
    at = 7 * WIDTH
    tensors["h.0.mlp.c_proj.weight"] *= 0
    tensors["h.0.mlp.c_proj.bias"] *= 0
    tensors["h.3.attn.c_attn.weight"][:, 2 * D + at:2 * D + at + 7] = numpy.linalg.pinv(days)
    tensors["h.3.attn.c_proj.weight"][at:at + WIDTH] *= 0
    tensors["h.3.attn.c_proj.weight"][at:at + 7] = numpy.roll(days, -1, 0)


def check_chance(program, folder):
    """successor_p again, of what circuits says of each head."""
    members = {"days": (7, 7), "months": (12, 12), "numbers": (99, 100), "letters": (25, 26)}
    out = subprocess.run([program, "circuits", "-q", "--json", "-m", folder], check=True,
                         capture_output=True).stdout
    for head in json.loads(out)["heads"]:
        n, of = members[head["successor_class"]]
        hits = round(head["successor"] * n)
        p = sum(math.comb(n, i) * of ** -i * (1 - 1 / of) ** (n - i) for i in range(hits, n + 1))
        p = min(1, p * LAYERS * HEADS * len(members))
        assert abs(head["successor_p"] - p) < 1e-9 * p, head


def main():
    program, corpus, seeds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    words = vocabulary(corpus.read_text())
    count, heads = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(1, seeds + 1):
            for make in (gpt2, bert):
                for scale in (0.05, 0.3):
                    first = seed == 1 and make is gpt2 and scale == 0.05
                    write(folder, make(words), words, scale, seed, make is bert,
                          successor if first else None)
                    if make is gpt2:
                        check_chance(program, folder)
                    out = subprocess.run([program, "types", "-q", "--json", "-m", folder, "-f",
                                          corpus], check=True, capture_output=True).stdout
                    for head in json.loads(out)["heads"]:
                        count.update(head["types"])
                        heads += 1
    print(heads, " ".join(f"{k}:{v}" for k, v in sorted(count.items())))


if __name__ == "__main__":
    main()
