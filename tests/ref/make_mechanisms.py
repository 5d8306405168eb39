#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes mechanisms.npz: weights and outputs of every mechanism by its formula, in
PyTorch's double precision; those of lsh by the layer of the transformers library.

    python3 tests/ref/make_mechanisms.py

MASK.NAME.w [T, S] and MASK.NAME.out [T, d_v] for MASK full and causal; q, k, v, and each
mechanism's own weights.  The numbers of PARAMS stand in tests/unit/nn_mechanism.c too.
"""
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch
import torch.nn.functional as F
from transformers import ReformerConfig
from transformers.models.reformer.modeling_reformer import LSHSelfAttention

T, D, DV, SCALE = 9, 6, 5, 0.5
WINDOW, GLOBAL, STRIDE, COLUMNS, BLOCK, TOP_K, FEATURES, WIDTH = 2, 1, 3, 1, 4, 3, 8, 4
HEADS, LSH_T, CHUNK, BUCKETS = 2, 16, 4, 6

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)


def draw(*shape, by=1.0):
    """Numbers that a float holds exactly."""
    return (torch.randn(*shape) * by).float().double()


q, k, v = draw(T, D, by=1.5), draw(T, D, by=1.5), draw(T, DV)
W, U, a = draw(WIDTH, D, by=0.5), draw(WIDTH, D, by=0.5), draw(WIDTH)
directions = draw(FEATURES, D)
I, J = torch.meshgrid(torch.arange(T), torch.arange(T), indexing="ij")


def sparsemax(z):
    out = torch.zeros_like(z)
    for i, row in enumerate(z):
        s = torch.sort(row[row > -torch.inf], descending=True).values
        n = torch.arange(1, len(s) + 1)
        size = int((1 + n * s > s.cumsum(0)).sum())
        out[i] = torch.clamp(row - (s[:size].sum() - 1) / size, min=0)
    return out


def entmax15(z):
    """Peters et al. 2019, algorithm 2."""
    out = torch.zeros_like(z)
    for i, row in enumerate(z / 2):
        s = torch.sort(row[row > -torch.inf], descending=True).values
        n = torch.arange(1, len(s) + 1)
        mean, square = s.cumsum(0) / n, (s * s).cumsum(0) / n
        tau = mean - torch.sqrt(torch.clamp((1 - n * (square - mean**2)) / n, min=0))
        size = int((tau <= s).sum())
        out[i] = torch.clamp(row - tau[size - 1], min=0) ** 2
    return out


def softmax(z):
    return torch.softmax(z, -1)


def top_k(z):
    least = torch.topk(z, min(TOP_K, T), -1).values[:, -1:]
    return softmax(torch.where(z < least, -torch.inf, z))


def by_features(f, g):
    def weigh(seen):
        x = torch.where(seen, f @ g.T, 0.0)
        return x / x.sum(-1, keepdim=True)
    return weigh


def favor(x):
    y = x * SCALE**0.5
    return torch.exp(y @ directions.T - (y * y).sum(-1, keepdim=True) / 2) / FEATURES**0.5


def bf16(x):
    return x.float().bfloat16().double()


def int8(x):
    step = x.abs().amax(-1, keepdim=True) / 127
    return torch.round(x / step) * step


def scores():
    s = SCALE * q @ k.T
    near = (I - J).abs() <= WINDOW
    every = torch.ones(T, T, dtype=bool)
    return {            # name: scores, who is seen, what makes weights of them
        "exact": (s, every, softmax),
        "dot": (q @ k.T, every, softmax),
        "scaled": (q @ k.T / D**0.5, every, softmax),
        "additive": (torch.tanh((q @ W.T)[:, None] + (k @ U.T)[None]) @ a, every, softmax),
        "local": (s, near, softmax),
        "global": (s, near | (I < GLOBAL) | (J < GLOBAL), softmax),
        "strided": (s, ((I - J).abs() <= STRIDE) | ((I - J) % STRIDE == 0), softmax),
        "fixed": (s, (I // STRIDE == J // STRIDE) | (J % STRIDE >= STRIDE - COLUMNS),
                  softmax),
        "block": (s, I // BLOCK == J // BLOCK, softmax),
        "top-k": (s, every, top_k),
        "sparsemax": (s, every, sparsemax),
        "entmax": (s, every, entmax15),
        "bf16": (SCALE * bf16(q) @ bf16(k).T, every, softmax),
        "int8": (SCALE * int8(q) @ int8(k).T, every, softmax),
    }


def lsh(causal, rounds, seed):
    """What goes into the library's layer and comes out.  Its rotations are floats, the rest
    is double: where a row sees itself alone, floats of -1e5 would leave out digits."""
    config = ReformerConfig(
        attention_head_size=D, num_attention_heads=HEADS, hidden_size=HEADS * D,
        lsh_attn_chunk_length=CHUNK, lsh_num_chunks_before=1, lsh_num_chunks_after=0,
        num_buckets=BUCKETS, num_hashes=rounds, hash_seed=seed, is_decoder=causal,
        attn_layers=["lsh"], axial_pos_shape=[4, 4], axial_pos_embds_dim=[D, D],
        lsh_attention_probs_dropout_prob=0.0)
    layer = LSHSelfAttention(config).double().eval()
    one = (1, LSH_T, HEADS, D)
    torch.manual_seed(seed)
    turn = torch.randn(HEADS, D, rounds, BUCKETS // 2, dtype=torch.float32)
    # qk and v as floats hold them, whatever comes in
    qk, vs = draw(1, LSH_T, HEADS * D), draw(1, LSH_T, HEADS * D)
    layer.query_key.forward, layer.value.forward = lambda x: qk, lambda x: vs
    with torch.no_grad(), patch("torch.randn", lambda *a, **k: turn.double()):
        done = layer(qk)
    return [x.view(one).transpose(1, 2)[0] for x in (qk, vs, done.hidden_states)] + [turn]


def main():
    arrays = {"q": q, "k": k, "v": v, "additive": torch.cat([W.ravel(), U.ravel(), a]),
              "favor": directions}
    for mask in ("full", "causal"):
        seen = J <= I if mask == "causal" else torch.ones(T, T, dtype=bool)
        done = {n: weigh(torch.where(seen & who, s, -torch.inf))
                for n, (s, who, weigh) in scores().items()}
        done["elu"] = by_features(F.elu(q) + 1, F.elu(k) + 1)(seen)
        done["favor"] = by_features(favor(q), favor(k))(seen)
        for name, w in done.items():
            arrays[f"{mask}.{name}.w"], arrays[f"{mask}.{name}.out"] = w, w @ v
        for rounds in (1, 2):
            at = f"{mask}.lsh{rounds}"
            qk, vs, out, turn = lsh(mask == "causal", rounds, 5 + rounds)
            arrays |= {f"{at}.q": qk, f"{at}.v": vs, f"{at}.out": out,
                       f"{at}.rotations": turn}
    np.savez_compressed(Path(__file__).parent / "mechanisms.npz",
             **{n: x.numpy().astype(np.float32) for n, x in arrays.items()})


main()
