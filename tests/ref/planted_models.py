# SPDX-License-Identifier: MIT
"""Small models whose heads have a job by construction: a GPT-2 with learned positions, a Qwen2
with rotary ones and a BERT.  tests/ref/check_planted.py has the jobs.

The residual stream has blocks, of which a head reads some:

    CODES    the token's code, a unit vector
    BEFORE   the code of the token before, which a head of the first layer writes
    WAVES    the position as cosines and sines, a unit vector (not in Qwen2)
    TRAITS   numbers that the token has by its kind
    JUNK     what heads write that nothing reads
    FILL     makes the mean 0 and the mean square 1, so that norms change nothing

A head has a part for positions, one for codes and one number for traits; the parts' scores add
up.  In Qwen2 the first lies on frequencies that turn within a text, the others on those that
hardly do.  Needs NumPy."""
import json
import struct

import numpy

D, HEADS, WIDTH, POSITIONS = 256, 2, 128, 160
CODE, FREQUENCIES = 62, 16
CODES = slice(0, CODE)
BEFORE = slice(64, 64 + CODE)
WAVES = slice(128, 128 + 2 * FREQUENCIES)
TRAITS = slice(160, 192)
JUNK = slice(192, 208)
FILL_TOKEN, FILL_POSITION = slice(208, 232), slice(232, 256)
FREQUENCY = 1e6 ** (-numpy.arange(FREQUENCIES) / (WIDTH // 2))


class Head:
    """score(query, key) = sum of parts; what it writes is of what it reads."""

    def __init__(self, **parts):
        self.offset = parts.get("offset", 0)        # place: cosines of (key - query - offset)
        self.place = parts.get("place", 0)          # how sharp; below 0: away from there
        self.slowest = parts.get("slowest", False)  # the slow half of the cosines alone: wide
        self.at = parts.get("at")                   # of (key - at) instead; not in Qwen2
        self.match = parts.get("match", 0)          # the query's code is the key's
        self.of = parts.get("of", CODES)            # block of that code in the key
        self.trait = parts.get("trait")             # of the key, by its number
        self.pull = parts.get("pull", 0)            # how much it adds
        self.alike = parts.get("alike")             # numbers of traits that both have or not
        self.write = parts.get("write", JUNK)
        self.gain = parts.get("gain", 0.3)


def codes(count, rng):
    """Unit vectors of sum 0."""
    x = rng.normal(size=(count, CODE))
    x -= x.mean(1, keepdims=True)
    return x / numpy.linalg.norm(x, axis=1, keepdims=True)


def fill(x, where, square):
    """Makes each row's sum 0 and its sum of squares this."""
    n = where.stop - where.start
    mean = -x.sum(1) / n
    swing = numpy.sqrt((square - (x * x).sum(1) - n * mean ** 2) / n)
    x[:, where] = mean[:, None] + swing[:, None] * numpy.resize([1, -1], n)
    return x


def waves(i):
    x = numpy.stack([numpy.cos(FREQUENCY * i), numpy.sin(FREQUENCY * i)], 1).ravel()
    return x / numpy.sqrt(FREQUENCIES)


def turned(by):
    """waves(i) @ turned(by) = waves(i + by)."""
    turn = numpy.zeros((2 * FREQUENCIES, 2 * FREQUENCIES))
    for k, angle in enumerate(FREQUENCY * by):
        c, s = numpy.cos(angle), numpy.sin(angle)
        turn[2 * k:2 * k + 2, 2 * k:2 * k + 2] = [[c, s], [-s, c]]
    return turn


def token_rows(traits, rng, square):
    """traits [tokens, at most 32] -> embeddings."""
    x = numpy.zeros((len(traits), D))
    x[:, CODES] = codes(len(traits), rng)
    x[:, TRAITS.start:TRAITS.start + traits.shape[1]] = traits
    return fill(x, FILL_TOKEN, square)


def position_rows(square):
    x = numpy.zeros((POSITIONS, D))
    for i in range(POSITIONS):
        x[i, WAVES] = waves(i)
    return fill(x, FILL_POSITION, square)


# Where the parts of a head lie in its columns.
CODE_AT = numpy.r_[WIDTH // 4:WIDTH // 4 + CODE // 2, 3 * WIDTH // 4:3 * WIDTH // 4 + CODE // 2]
TRAIT_AT = WIDTH // 2 - 1
ALIKE_AT = numpy.r_[WIDTH - 17:WIDTH - 1]
EYE = numpy.eye(max(CODE, WIDTH))


def put_place(head, w, bias, rotary):
    speed = numpy.repeat(~numpy.array(head.slowest) | (numpy.arange(FREQUENCIES) >= 8), 2)
    at = numpy.arange(2 * FREQUENCIES)
    if rotary:
        pair = numpy.arange(FREQUENCIES)
        angle = FREQUENCY * head.offset
        part = speed[::2] * head.place / FREQUENCIES
        bias["q"][pair] += part * numpy.cos(angle)
        bias["q"][pair + WIDTH // 2] += part * numpy.sin(angle)
        bias["k"][pair] = 1
        return
    w["k"][WAVES, at] = EYE[:len(at), :len(at)]
    if head.at is not None:
        bias["q"][at] += head.place * speed * waves(head.at)
    else:
        w["q"][WAVES, at] += head.place * turned(head.offset) * speed


def put_head(head, rotary):
    """-> weights q k v [D, WIDTH], o [WIDTH, D], and biases of q and k."""
    w = {k: numpy.zeros((D, WIDTH)) for k in "qkv"} | {"o": numpy.zeros((WIDTH, D))}
    bias = {k: numpy.zeros(WIDTH) for k in "qk"}
    put_place(head, w, bias, rotary)
    if head.match:
        w["q"][CODES, CODE_AT] = head.match * EYE[:CODE, :CODE]
        w["k"][head.of, CODE_AT] = EYE[:CODE, :CODE]
    if head.trait is not None:
        w["k"][TRAITS.start + head.trait, TRAIT_AT] = 1
        bias["q"][TRAIT_AT] = head.pull
    for i, trait in enumerate(head.alike or []):
        w["q"][TRAITS.start + trait, ALIKE_AT[i]] = head.pull
        w["k"][TRAITS.start + trait, ALIKE_AT[i]] = 1
    n = head.write.stop - head.write.start
    w["v"][CODES, :CODE] = EYE[:CODE, :CODE]
    w["o"][:n, head.write] = head.gain * EYE[:n, :n]
    for x in (w["q"], bias["q"]):
        x *= numpy.sqrt(WIDTH)
    return w, bias


def put_layer(heads, rotary):
    """-> the same of all heads of a layer, side by side."""
    made = [put_head(h, rotary) for h in heads]
    w = {k: numpy.concatenate([m[0][k] for m in made], 1) for k in "qkv"}
    w["o"] = numpy.concatenate([m[0]["o"] for m in made], 0)
    bias = {k: numpy.concatenate([m[1][k] for m in made]) for k in "qk"}
    return w, bias | {"v": numpy.zeros(HEADS * WIDTH)}


def layers_of(heads):
    return [heads[i:i + HEADS] for i in range(0, len(heads), HEADS)]


def norm(name):
    return {name + ".weight": numpy.ones(D), name + ".bias": numpy.zeros(D)}


def gpt2(heads, traits, rng):
    tensors = {"wte.weight": token_rows(traits, rng, D / 2),
               "wpe.weight": position_rows(D / 2)} | norm("ln_f")
    for i, layer in enumerate(layers_of(heads)):
        w, bias = put_layer(layer, False)
        at = f"h.{i}."
        tensors |= norm(at + "ln_1") | norm(at + "ln_2") | {
            at + "attn.c_attn.weight": numpy.concatenate([w[k] for k in "qkv"], 1),
            at + "attn.c_attn.bias": numpy.concatenate([bias[k] for k in "qkv"]),
            at + "attn.c_proj.weight": w["o"], at + "attn.c_proj.bias": numpy.zeros(D),
            at + "mlp.c_fc.weight": numpy.zeros((D, 4)), at + "mlp.c_fc.bias": numpy.zeros(4),
            at + "mlp.c_proj.weight": numpy.zeros((4, D)), at + "mlp.c_proj.bias": numpy.zeros(D)}
    return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
            "n_layer": len(heads) // HEADS, "n_head": HEADS, "n_embd": D, "n_inner": 4,
            "n_positions": POSITIONS, "vocab_size": len(traits), "layer_norm_epsilon": 1e-5,
            "activation_function": "gelu_new", "tie_word_embeddings": True}, tensors


def qwen2(heads, traits, rng):
    tensors = {"model.embed_tokens.weight": token_rows(traits, rng, D),
               "model.norm.weight": numpy.ones(D)}
    for i, layer in enumerate(layers_of(heads)):
        w, bias = put_layer(layer, True)
        at = f"model.layers.{i}."
        for k in "qkv":
            tensors[at + f"self_attn.{k}_proj.weight"] = w[k].T
            tensors[at + f"self_attn.{k}_proj.bias"] = bias[k]
        tensors |= {at + "self_attn.o_proj.weight": w["o"].T,
                    at + "input_layernorm.weight": numpy.ones(D),
                    at + "post_attention_layernorm.weight": numpy.ones(D),
                    at + "mlp.gate_proj.weight": numpy.zeros((4, D)),
                    at + "mlp.up_proj.weight": numpy.zeros((4, D)),
                    at + "mlp.down_proj.weight": numpy.zeros((D, 4))}
    return {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"],
            "num_hidden_layers": len(heads) // HEADS, "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS, "hidden_size": D, "intermediate_size": 4,
            "max_position_embeddings": POSITIONS, "vocab_size": len(traits),
            "rms_norm_eps": 1e-6, "rope_theta": 1e6, "hidden_act": "silu",
            "tie_word_embeddings": True}, tensors


def bert(heads, traits, rng, segments):
    """segments: number of the trait of tokens of the first segment, the next being that of the
    second."""
    types = numpy.zeros((2, D))
    types[numpy.arange(2), TRAITS.start + segments + numpy.arange(2)] = 1
    types[:, JUNK.start] = -1
    tensors = {"embeddings.word_embeddings.weight": token_rows(traits, rng, D / 2),
               "embeddings.position_embeddings.weight": position_rows(D / 2 - 2),
               "embeddings.token_type_embeddings.weight": types} | norm("embeddings.LayerNorm")
    for i, layer in enumerate(layers_of(heads)):
        w, bias = put_layer(layer, False)
        at = f"encoder.layer.{i}."
        for k, name in (("q", "query"), ("k", "key"), ("v", "value")):
            tensors[at + f"attention.self.{name}.weight"] = w[k].T
            tensors[at + f"attention.self.{name}.bias"] = bias[k]
        tensors |= norm(at + "attention.output.LayerNorm") | norm(at + "output.LayerNorm") | {
            at + "attention.output.dense.weight": w["o"].T,
            at + "attention.output.dense.bias": numpy.zeros(D),
            at + "intermediate.dense.weight": numpy.zeros((4, D)),
            at + "intermediate.dense.bias": numpy.zeros(4),
            at + "output.dense.weight": numpy.zeros((D, 4)),
            at + "output.dense.bias": numpy.zeros(D)}
    return {"model_type": "bert", "architectures": ["BertModel"],
            "num_hidden_layers": len(heads) // HEADS, "num_attention_heads": HEADS,
            "hidden_size": D, "intermediate_size": 4, "max_position_embeddings": POSITIONS,
            "vocab_size": len(traits), "type_vocab_size": 2, "layer_norm_eps": 1e-12,
            "hidden_act": "gelu"}, tensors


def write(folder, made, tokeniser):
    config, tensors = made
    header, data, at = {}, [], 0
    for name, x in tensors.items():
        data.append(numpy.ascontiguousarray(x, dtype="<f4").tobytes())
        header[name] = {"dtype": "F32", "shape": list(x.shape),
                        "data_offsets": [at, at + len(data[-1])]}
        at += len(data[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text +
                                               b"".join(data))
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokeniser))
