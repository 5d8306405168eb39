#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes models whose heads have a known job each, and texts: for what `types` calls them.

    python3 tests/ref/plant_heads.py FOLDER

FOLDER/gpt2, FOLDER/bert and FOLDER/llama are models of eight heads a layer, FOLDER/texts are lines
of words, and FOLDER/jobs has a line for each head: model, head, job, separated by tabs.

The residual stream has a one-hot block for the token, one for the position (not of llama, which
rotates), one for the token before, a constant, and a rest that makes the sum zero, so that norms
only scale.  A job says which columns of these blocks queries and keys share; what they share
scores MATCH, all else 0.  Only heads that induction needs write something.  Needs NumPy.
"""
import json
import pathlib
import random
import struct
import sys

import numpy as np

V, T, HEADS, WIDTH = 64, 128, 8, 128
D = HEADS * WIDTH
TOKEN, PLACE, BEFORE = slice(0, V), slice(V, V + T), slice(V + T, 2 * V + T)
CONSTANT, REST = 2 * V + T, slice(2 * V + T + 1, D)
MATCH = 40.0

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<bos>"]
MARKS = [".", ","]
NAMES = ["Anna", "Boris", "Clara", "David", "Emma", "Felix"]
WORDS = ("the a cat dog sees runs red blue house garden small large old new man woman goes comes in on "
         "to from with and or but then when rain sun day night door key").split()
RARE = ["zephyr", "quartz", "obelisk", "marzipan"]
VOCABULARY = SPECIAL + MARKS + NAMES + WORDS + RARE
ID = {word: i for i, word in enumerate(VOCABULARY)}


def texts():
    """Sixteen, of 36 to 66 words, with marks, a name or two, a rare word, and words again."""
    draw = random.Random(3)
    for n in range(16):
        line = [draw.choice(WORDS) for _ in range(36 + 2 * n)]
        for at in range(5 + n % 3, len(line), 7):
            line[at] = draw.choice(MARKS)
        line[3 + n % 5 * 6] = draw.choice(NAMES)
        line[2 + (n * 5) % 30] = RARE[n % 4]
        yield " ".join(line)


# ---- jobs: what queries and keys share, as pairs of (rows of the stream, columns, matrix) ----

def pairs(*blocks):
    return list(blocks)


def at_offset(k, gain=1.0):
    """Position i looks for column i + k, and position j is column j."""
    move = np.zeros((T, T))
    for i in range(max(0, -k), min(T, T - k)):
        move[i, i + k] = gain
    return [(PLACE, slice(0, T), move)], [(PLACE, slice(0, T), np.eye(T))]


def always(rows, which):
    """All queries look for these rows of a block."""
    column = np.zeros((rows.stop - rows.start, 1))
    column[which] = 1
    return [(slice(CONSTANT, CONSTANT + 1), slice(0, 1), np.eye(1))], [(rows, slice(0, 1), column)]


def tokens(words):
    return always(TOKEN, [ID[word] for word in words])


def same_token():
    """The token again, but not at its own place, which has a code of its own."""
    code = np.random.default_rng(1).choice([-1, 1], (T, WIDTH - V)) / np.sqrt(WIDTH - V)
    place = slice(V, WIDTH)
    return ([(TOKEN, slice(0, V), np.eye(V)), (PLACE, place, -1.5 * code)],
            [(TOKEN, slice(0, V), np.eye(V)), (PLACE, place, code)])


def mostly_before():
    """0.7 of the weight on the token before, the rest on the first one."""
    q, k = at_offset(-1)
    last = slice(T - 1, T)
    share = (MATCH - np.log(0.7 / 0.3)) / MATCH
    first = np.zeros((T, 1))
    first[0] = 1
    return (q + [(slice(CONSTANT, CONSTANT + 1), last, share * np.eye(1))],
            k + [(PLACE, last, first)])


def same_length():
    column = np.zeros((V, 2))
    for word, i in ID.items():
        column[i, len(word) > 3] = 1
    return [(TOKEN, slice(0, 2), column)], [(TOKEN, slice(0, 2), column)]


NOTHING = ([], [])
AGAIN = ([(TOKEN, slice(0, V), np.eye(V))], [(BEFORE, slice(0, V), np.eye(V))])

GPT2 = [
    [("uniform", NOTHING), ("previous", at_offset(-1)), ("self", at_offset(0)),
     ("first", always(PLACE, [0])), ("offset -2", at_offset(-2)), ("offset -3", at_offset(-3)),
     ("duplicate", same_token()), ("mostly previous", mostly_before())],
    [("induction", AGAIN), ("negative induction", AGAIN), ("punctuation", tokens(MARKS)),
     ("names", tokens(NAMES)), ("rare", tokens(RARE)), ("same length", same_length()),
     ("offset -5", at_offset(-5)), ("uniform", NOTHING)],
]
BERT = [
    [("uniform", NOTHING), ("previous", at_offset(-1)), ("next", at_offset(1)),
     ("self", at_offset(0)), ("first", always(PLACE, [0])), ("separator", tokens(["[SEP]"])),
     ("duplicate", same_token()), ("offset +2", at_offset(2))],
    [("offset -2", at_offset(-2)), ("offset +3", at_offset(3)), ("punctuation", tokens(MARKS)),
     ("names", tokens(NAMES)), ("rare", tokens(RARE)), ("same length", same_length()),
     ("mostly previous", mostly_before()), ("uniform", NOTHING)],
]


# ---- rotary: queries and keys are constant, or of the token, and turn with their places ----

BASE = 10000.0
FREQUENCY = BASE ** (-np.arange(WIDTH // 2) / (WIDTH // 2))
FAST, SLOW = slice(0, 24), WIDTH // 2 - 1


def turned(k):
    """Scores are the mean of cos(f (i - j + k)) over the fast frequencies."""
    constant = slice(CONSTANT, CONSTANT + 1)
    q, key = np.zeros((1, WIDTH)), np.zeros((1, WIDTH))
    angle, n = FREQUENCY[FAST] * k, FAST.stop
    q[0, FAST] = np.cos(angle) / n
    q[0, slice(WIDTH // 2, WIDTH // 2 + n)] = np.sin(angle) / n
    key[0, FAST] = 1
    return [(constant, slice(0, WIDTH), q)], [(constant, slice(0, WIDTH), key)]


def slow(words):
    """As tokens(), in a frequency that hardly turns."""
    q, k = tokens(words)
    at = slice(SLOW, SLOW + 1)
    return [(rows, at, m) for rows, _, m in q], [(rows, at, m) for rows, _, m in k]


LLAMA = [
    [("uniform", NOTHING), ("previous", turned(-1)), ("self", turned(0)), ("offset -2", turned(-2)),
     ("offset -3", turned(-3)), ("first", slow(["<bos>"])), ("punctuation", slow(MARKS)),
     ("offset -4", turned(-4))],
]


# ---- weights ----

def embedded(rows):
    """The rest makes the sum of each row zero."""
    rows[:, REST] = -rows[:, :REST.start].sum(1, keepdims=True) / (REST.stop - REST.start)
    return rows


def token_rows(constant):
    rows = np.zeros((V, D))
    rows[:len(VOCABULARY), TOKEN] = np.eye(V)[:len(VOCABULARY)]
    rows[:, CONSTANT] = constant
    return embedded(rows)


def place_rows():
    rows = np.zeros((T, D))
    rows[:, PLACE] = np.eye(T)
    return embedded(rows)


def matrix(job, side, gain):
    w = np.zeros((D, WIDTH))
    for rows, columns, m in job[side]:
        w[rows, columns] += gain * m
    return w


def layer(jobs, stream, n_blocks):
    """q, k, v and o, [in, out]; a norm makes the ones of n_blocks blocks sqrt(D / n_blocks)."""
    one = np.sqrt(D / n_blocks)
    gain = MATCH * np.sqrt(WIDTH) / one ** 2
    w = {side: np.concatenate([matrix(job, i, gain if i == 0 else 1) for _, job in jobs], 1)
         for i, side in enumerate("qk")}
    w["v"], w["o"] = np.zeros((D, D)), np.zeros((D, D))
    for h, (name, _) in enumerate(jobs):
        columns = slice(h * WIDTH, h * WIDTH + V)
        if stream and name == "previous":
            w["v"][TOKEN, columns] = np.eye(V) / one
            w["o"][columns, BEFORE] = np.eye(V)
        if name.endswith("induction"):
            w["v"][TOKEN, columns] = np.eye(V)
            w["o"][columns, TOKEN] = np.eye(V) * (-4 if name.startswith("negative") else 4)
    return w


def gpt2():
    ones, zeros = np.ones(D), np.zeros(D)
    w = {"wte.weight": token_rows(1), "wpe.weight": place_rows(), "ln_f.weight": ones,
         "ln_f.bias": zeros}
    for l, jobs in enumerate(GPT2):
        m = layer(jobs, l == 0, 3 + l)
        at = f"h.{l}."
        w[at + "attn.c_attn.weight"] = np.concatenate([m[x] for x in "qkv"], 1)
        w[at + "attn.c_attn.bias"] = np.zeros(3 * D)
        w[at + "attn.c_proj.weight"], w[at + "attn.c_proj.bias"] = m["o"], zeros
        w[at + "mlp.c_fc.weight"], w[at + "mlp.c_fc.bias"] = np.zeros((D, 8)), np.zeros(8)
        w[at + "mlp.c_proj.weight"], w[at + "mlp.c_proj.bias"] = np.zeros((8, D)), zeros
        for norm in ("ln_1", "ln_2"):
            w[at + norm + ".weight"], w[at + norm + ".bias"] = ones, zeros
    return w, {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": D,
               "n_head": HEADS, "n_inner": 8, "n_layer": 2, "n_positions": T, "vocab_size": V,
               "layer_norm_epsilon": 1e-12, "activation_function": "gelu_new"}


def bert():
    ones, zeros = np.ones(D), np.zeros(D)
    w = {"embeddings.word_embeddings.weight": token_rows(1),
         "embeddings.position_embeddings.weight": place_rows(),
         "embeddings.token_type_embeddings.weight": np.zeros((2, D)),
         "embeddings.LayerNorm.weight": ones, "embeddings.LayerNorm.bias": zeros}
    for l, jobs in enumerate(BERT):
        m = layer(jobs, False, 3)
        at = f"encoder.layer.{l}."
        for x, name in zip("qkv", ("query", "key", "value")):
            w[at + f"attention.self.{name}.weight"] = m[x].T
            w[at + f"attention.self.{name}.bias"] = zeros
        w[at + "attention.output.dense.weight"] = m["o"].T
        w[at + "attention.output.dense.bias"] = zeros
        w[at + "intermediate.dense.weight"] = np.zeros((8, D))
        w[at + "intermediate.dense.bias"] = np.zeros(8)
        w[at + "output.dense.weight"], w[at + "output.dense.bias"] = np.zeros((D, 8)), zeros
        for norm in ("attention.output", "output"):
            w[at + norm + ".LayerNorm.weight"] = ones
            w[at + norm + ".LayerNorm.bias"] = zeros
    return w, {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": D,
               "num_attention_heads": HEADS, "num_hidden_layers": 2, "intermediate_size": 8,
               "max_position_embeddings": T, "type_vocab_size": 2, "vocab_size": V,
               "layer_norm_eps": 1e-12, "hidden_act": "gelu"}


def llama():
    ones = np.ones(D)
    w = {"model.embed_tokens.weight": token_rows(1), "model.norm.weight": ones}
    for l, jobs in enumerate(LLAMA):
        m = layer(jobs, False, 2)
        at = f"model.layers.{l}."
        for x in "qkvo":
            w[at + f"self_attn.{x}_proj.weight"] = m[x].T
        w[at + "mlp.gate_proj.weight"] = w[at + "mlp.up_proj.weight"] = np.zeros((8, D))
        w[at + "mlp.down_proj.weight"] = np.zeros((D, 8))
        for norm in ("input_layernorm", "post_attention_layernorm"):
            w[at + norm + ".weight"] = ones
    return w, {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": D,
               "num_attention_heads": HEADS, "num_key_value_heads": HEADS, "num_hidden_layers": 1,
               "intermediate_size": 8, "max_position_embeddings": 2 * T, "vocab_size": V,
               "rms_norm_eps": 1e-12, "hidden_act": "silu", "rope_theta": BASE, "bos_token_id": 4,
               "tie_word_embeddings": True}


# ---- files ----

def tokenizer(template):
    single = [{"SpecialToken": {"id": x, "type_id": 0}} if x != "A" else
              {"Sequence": {"id": "A", "type_id": 0}} for x in template]
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": None,
        "added_tokens": [{"id": ID[x], "content": x, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True} for x in SPECIAL],
        "post_processor": {
            "type": "TemplateProcessing", "single": single,
            "pair": single + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {x: {"id": x, "ids": [ID[x]], "tokens": [x]} for x in SPECIAL}},
        "model": {"type": "WordLevel", "vocab": ID, "unk_token": "[UNK]"},
    }


def write(folder, weights, config, template):
    folder.mkdir(parents=True)
    header, at = {}, 0
    for name, w in weights.items():
        header[name] = {"dtype": "F32", "shape": w.shape, "data_offsets": [at, at + 4 * w.size]}
        at += 4 * w.size
    text = json.dumps(header).encode()
    with open(folder / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for w in weights.values():
            f.write(np.ascontiguousarray(w, "<f4").tobytes())
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(template)))


def main():
    folder = pathlib.Path(sys.argv[1])
    jobs = []
    for make, layers, template in ((gpt2, GPT2, ["A"]), (bert, BERT, ["[CLS]", "A", "[SEP]"]),
                                   (llama, LLAMA, ["<bos>", "A"])):
        write(folder / make.__name__, *make(), template)
        jobs += [f"{make.__name__}\tL{l}H{h}\t{name}\n" for l, heads in enumerate(layers)
                 for h, (name, _) in enumerate(heads)]
    (folder / "jobs").write_text("".join(jobs))
    (folder / "texts").write_text("".join(line + "\n" for line in texts()))


if __name__ == "__main__":
    main()
