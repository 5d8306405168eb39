#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/ref/planted: a GPT-2 of two layers whose weights are set by hand, so that what
each head does is known.

    L0H0  the token before, whose code it writes into block B
    L0H1  the first token, and writes nothing
    L0H2  the same token before the present one
    L0H3  all tokens alike
    L1H0  induction: its own code is looked for in block B; writes what stands there into A
    L1H1  itself
    L1H2  the token two before
    L1H3  all tokens alike

The residual stream has four blocks: A, the token's code; B, that of the token before; P, the
position as cosines and sines; one number that grows with the position; the rest makes the mean
zero, so that the layer norm only scales.  Needs NumPy; made with 2.4.

    python3 tests/ref/make_planted.py
"""
import json
import pathlib
import struct

import numpy

VOCAB, POSITIONS, D, HEADS = 60, 128, 64, 4
WIDTH = D // HEADS
CODE, WAVES = 15, 8
A = slice(0, CODE)
B = slice(CODE, 2 * CODE)
P = slice(2 * CODE, 2 * CODE + 2 * WAVES)
GROWS = P.stop
REST = slice(GROWS + 1, D)
FREQUENCY = numpy.linspace(0.35, 2.9, WAVES)


def codes():
    """Unit vectors of sum 0 that are pushed apart."""
    x = numpy.random.default_rng(5).normal(size=(VOCAB, CODE))
    for _ in range(2000):
        x -= x.mean(1, keepdims=True)
        x /= numpy.linalg.norm(x, axis=1, keepdims=True)
        near = numpy.exp(20 * (x @ x.T - 1)) * (1 - numpy.eye(VOCAB))
        x -= 0.05 * near @ x
    x -= x.mean(1, keepdims=True)
    return x / numpy.linalg.norm(x, axis=1, keepdims=True)


def waves(i):
    return numpy.stack([numpy.cos(FREQUENCY * i), numpy.sin(FREQUENCY * i)], 1).ravel()


def back(n):
    """Turns waves(i) into waves(i - n), as a matrix to the right of a row."""
    turn = numpy.zeros((2 * WAVES, 2 * WAVES))
    for k, f in enumerate(FREQUENCY * n):
        at = slice(2 * k, 2 * k + 2)
        turn[at, at] = [[numpy.cos(f), -numpy.sin(f)], [numpy.sin(f), numpy.cos(f)]]
    return turn


def balanced(x):
    """The rest of each row makes its mean 0."""
    x[:, REST] = -x.sum(1, keepdims=True) / (D - REST.start)
    return x


class Layer:
    def __init__(self):
        self.w = {k: numpy.zeros((D, D)) for k in "qkvo"}
        self.bias = numpy.zeros(3 * D)

    def head(self, h, **parts):
        """q, k, v: (rows of the stream, columns of the head, matrix); o the other way."""
        for name, (rows, columns, matrix) in parts.items():
            columns = slice(h * WIDTH + columns.start, h * WIDTH + columns.stop)
            at = (columns, rows) if name == "o" else (rows, columns)
            self.w[name][at] = matrix

    def tensors(self, name):
        zeros = numpy.zeros
        return {
            f"{name}.ln_1.weight": numpy.ones(D), f"{name}.ln_1.bias": zeros(D),
            f"{name}.attn.c_attn.weight": numpy.concatenate([self.w[k] for k in "qkv"], 1),
            f"{name}.attn.c_attn.bias": self.bias,
            f"{name}.attn.c_proj.weight": self.w["o"], f"{name}.attn.c_proj.bias": zeros(D),
            f"{name}.ln_2.weight": numpy.ones(D), f"{name}.ln_2.bias": zeros(D),
            f"{name}.mlp.c_fc.weight": zeros((D, 4)), f"{name}.mlp.c_fc.bias": zeros(4),
            f"{name}.mlp.c_proj.weight": zeros((4, D)), f"{name}.mlp.c_proj.bias": zeros(D),
        }


def one(n):
    return slice(0, n)


def offset(layer, h, n, sharp):
    """Looks at the token n before."""
    layer.head(h, q=(P, one(2 * WAVES), sharp * back(n)), k=(P, one(2 * WAVES),
                                                              numpy.eye(2 * WAVES)))


def model():
    eye = numpy.eye(CODE)
    first, second = Layer(), Layer()
    offset(first, 0, 1, 20)
    first.head(0, v=(A, one(CODE), eye), o=(B, one(CODE), 2 * eye))
    first.head(1, k=(P, one(2 * WAVES), numpy.eye(2 * WAVES)))
    first.bias[WIDTH:2 * WIDTH] = 20 * waves(0)
    # Itself stands later than the same token before, and so gets less.
    first.head(2, q=(A, one(CODE), 60 * eye), k=(A, one(CODE), eye))
    first.w["k"][GROWS, 2 * WIDTH + CODE] = -1
    first.bias[2 * WIDTH + CODE] = 50
    second.head(0, q=(A, one(CODE), 60 * eye), k=(B, one(CODE), eye), v=(A, one(CODE), eye),
                o=(A, one(CODE), 4 * eye))
    offset(second, 1, 0, 20)
    offset(second, 2, 2, 20)
    tensors = {"wte.weight": numpy.zeros((VOCAB, D)), "wpe.weight": numpy.zeros((POSITIONS, D)),
               "ln_f.weight": numpy.ones(D), "ln_f.bias": numpy.zeros(D)}
    tensors["wte.weight"][:, A] = 2 * codes()
    for i in range(POSITIONS):
        tensors["wpe.weight"][i, P] = waves(i) / 2
        tensors["wpe.weight"][i, GROWS] = i / POSITIONS
    balanced(tensors["wpe.weight"])
    return tensors | first.tensors("h.0") | second.tensors("h.1")


def write(path, tensors):
    header, data = {}, b""
    for name, x in sorted(tensors.items()):
        bytes_ = numpy.ascontiguousarray(x, dtype="<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(x.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    folder = pathlib.Path(__file__).parent / "planted"
    folder.mkdir(exist_ok=True)
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 2,
              "n_head": HEADS, "n_embd": D, "n_inner": 4, "n_positions": POSITIONS,
              "vocab_size": VOCAB, "layer_norm_epsilon": 1e-5,
              "activation_function": "gelu_new", "tie_word_embeddings": True}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write(folder / "model.safetensors", model())


if __name__ == "__main__":
    main()
