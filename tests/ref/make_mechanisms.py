#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes mechanisms/: what every mechanism does by its formula, in PyTorch.

    python3 tests/ref/make_mechanisms.py

formulas.npz: MASK.NAME.w [T, S] and MASK.NAME.out [T, d_v] for MASK full and causal; q, k, v,
and each mechanism's own weights; in double precision, those of lsh by the layer of the
transformers library.  The constants below stand in tests/unit/nn_mechanism.c too.

cases.json: command lines of `mha-viz mechanisms --json` and the numbers that they are to
print: each mechanism in the place of the attention of a model of the transformers library, in
one layer and in all.  additive.safetensors: weights that one of them reads.
"""
import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import (AttentionInterface, AttentionMaskInterface, AutoModel,
                          ReformerConfig)
from transformers.masking_utils import eager_mask
from transformers.models.reformer.modeling_reformer import LSHSelfAttention

T, D, DV, SCALE = 9, 6, 5, 0.5
WINDOW, GLOBAL, STRIDE, COLUMNS, BLOCK, TOP_K, FEATURES, WIDTH = 2, 1, 3, 1, 4, 3, 8, 4
HEADS, LSH_T, CHUNK, BUCKETS = 2, 16, 4, 6
HERE = Path(__file__).parent

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)


def draw(*shape, by=1.0):
    """Numbers that a float holds exactly."""
    return (torch.randn(*shape) * by).float().double()


q, k, v = draw(T, D, by=1.5), draw(T, D, by=1.5), draw(T, DV)
W, U, a = draw(WIDTH, D, by=0.5), draw(WIDTH, D, by=0.5), draw(WIDTH)
directions = draw(FEATURES, D)


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
    least = torch.topk(z, min(TOP_K, z.shape[-1]), -1).values[:, -1:]
    return softmax(torch.where(z < least, -torch.inf, z))


def by_features(x, seen):
    x = torch.where(seen, x, 0.0)
    return x / x.sum(-1, keepdim=True)


def favor(x):
    y = x * SCALE**0.5
    return torch.exp(y @ directions.T - (y * y).sum(-1, keepdim=True) / 2) / FEATURES**0.5


def bf16(x):
    return x.float().bfloat16().double()


def int8(x):
    step = x.abs().amax(-1, keepdim=True) / 127
    return torch.round(x / step) * step


def weights(name, q, k, scale, seen, additive):
    """[T, S] of one head; seen: what the model lets rows see."""
    n, d = q.shape
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    near = (i - j).abs() <= WINDOW
    s = scale * q @ k.T
    if name == "elu":
        return by_features((F.elu(q) + 1) @ (F.elu(k) + 1).T, seen)
    if name == "favor":
        return by_features(favor(q) @ favor(k).T, seen)
    if name == "dot":
        s = q @ k.T
    if name == "scaled":
        s = q @ k.T / d**0.5
    if name == "additive":
        w, u, v = additive
        s = torch.tanh((q @ w.T)[:, None] + (k @ u.T)[None]) @ v
    if name == "bf16":
        s = scale * bf16(q) @ bf16(k).T
    if name == "int8":
        s = scale * int8(q) @ int8(k).T
    pattern = {
        "local": near,
        "global": near | (i < GLOBAL) | (j < GLOBAL),
        "strided": ((i - j).abs() <= STRIDE) | ((i - j) % STRIDE == 0),
        "fixed": (i // STRIDE == j // STRIDE) | (j % STRIDE >= STRIDE - COLUMNS),
        "block": i // BLOCK == j // BLOCK,
    }.get(name, True)
    s = torch.where(seen & pattern, s, -torch.inf)
    return {"top-k": top_k, "sparsemax": sparsemax, "entmax": entmax15}.get(name, softmax)(s)


ALIKE = ["exact", "dot", "scaled", "additive", "elu", "local", "global", "strided", "fixed",
         "block", "top-k", "sparsemax", "entmax", "bf16", "int8"]


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


def formulas():
    arrays = {"q": q, "k": k, "v": v, "additive": torch.cat([W.ravel(), U.ravel(), a]),
              "favor": directions}
    for mask in ("full", "causal"):
        seen = torch.ones(T, T, dtype=bool)
        seen = seen.tril() if mask == "causal" else seen
        for name in ALIKE + ["favor"]:
            w = weights(name, q, k, SCALE, seen, (W, U, a))
            arrays[f"{mask}.{name}.w"], arrays[f"{mask}.{name}.out"] = w, w @ v
        for rounds in (1, 2):
            at = f"{mask}.lsh{rounds}"
            qk, vs, out, turn = lsh(mask == "causal", rounds, 5 + rounds)
            arrays |= {f"{at}.q": qk, f"{at}.v": vs, f"{at}.out": out,
                       f"{at}.rotations": turn}
    np.savez_compressed(HERE / "mechanisms" / "formulas.npz",
                        **{n: x.numpy().astype(np.float32) for n, x in arrays.items()})


class Attention:
    """Takes the place of a model's: name in every layer, or in none; keeps the last's."""

    def __init__(self, causal, additive, padding=0):
        self.causal, self.additive, self.name, self.layers = causal, additive, "exact", []
        self.padding = padding          # keys at the end that no row sees

    def heads(self, name, q, k, scale):
        """Weights of all heads, joined ones with their head's."""
        n_heads, n, _ = q.shape
        seen = torch.ones(n, n, dtype=bool)
        seen = seen.tril() if self.causal else seen
        seen[:, n - self.padding:] = False
        wide = {"one-head": n_heads, "half-heads": 2}.get(name, 1)
        rows = []
        for h in range(0, n_heads, wide):
            both = [torch.cat(list(x[h:h + wide]), -1) for x in (q, k)]
            rows += [weights(name, *both, scale / wide**0.5, seen, self.additive)] * wide
        return torch.stack(rows)

    def __call__(self, module, query, key, value, mask, scaling=None, dropout=0.0, **kw):
        q, k, v = query[0], key[0], value[0]
        k, v = (x.repeat_interleave(len(q) // len(x), 0) for x in (k, v))
        scaling = scaling if scaling is not None else q.shape[-1] ** -0.5
        self.layers.append((q, k, v, scaling))
        w = self.heads(self.name, q, k, scaling)
        return (w @ v).transpose(0, 1)[None], w[None]


def off(x, y):
    return float((x - y).norm() / y.norm())


def js(p, q):
    m = (p + q) / 2
    return float((torch.xlogy(p, p / m) + torch.xlogy(q, q / m)).nan_to_num().sum(-1).mean() / 2)


def figures(attention, names, q, k, v, scale, after, pass_on=None):
    """What each mechanism makes of one layer; after: its heads' outputs -> its output;
    pass_on: name -> the change of the model's output, where that is another."""
    want, own = {}, attention.heads("exact", q, k, scale)
    for n in names:
        w = attention.heads(n, q, k, scale)
        error = off(after(w @ v), after(own @ v))
        want[n] = {
            "error": error, "js": js(w, own),
            "links_kept": float((w.argmax(-1) == own.argmax(-1)).double().mean()),
            "entropy": float(-torch.xlogy(w, w).sum(-1).mean()),
            "output": pass_on(n) if pass_on else error}
    return want


PARAMETERS = ["--window", WINDOW, "--n-global", GLOBAL, "--stride", STRIDE, "--n-columns",
              COLUMNS, "--block", BLOCK, "--top-k", TOP_K]


def bare(name, heads, *mask, **hidden):
    """A bare layer on rows of numbers, under a mask of the user's."""
    layer = {k: x.double() for k, x in
             load_file(HERE / f"layers/{name}.safetensors").items()}
    x = torch.tensor(np.load(HERE / "layers/npz/y.npy")).double()
    q, k, v = ((x @ layer[f"{n}.weight"].T + layer[f"{n}.bias"]).unflatten(-1, (heads, -1))
               .transpose(0, 1) for n in ("W_Q", "W_K", "W_V"))
    names = [n for n in ALIKE if n != "additive"] + ["half-heads", "one-head"]
    if hidden.get("padding"):
        names.remove("elu")             # its sums cannot leave out what is hidden

    def after(z):
        return z.transpose(0, 1).flatten(1) @ layer["W_O.weight"].T + layer["W_O.bias"]

    attention = Attention(hidden.get("causal", False), None, hidden.get("padding", 0))
    argv = ["-m", f"tests/ref/layers/{name}.safetensors", "--heads", heads, "--input",
            "tests/ref/layers/npz/y.npy", *PARAMETERS, *mask]
    return {"argv": [str(x) for x in argv],
            "want": figures(attention, names, q, k, v, q.shape[-1] ** -0.5, after)}


def case(name, ids, layer, causal, output, additive=None):
    names = [n for n in ALIKE if n != "additive" or additive]
    attention = Attention(causal, additive)
    AttentionInterface.register("ours", attention)
    AttentionMaskInterface.register("ours", eager_mask)
    model = AutoModel.from_pretrained(HERE / name, attn_implementation="ours",
                                      dtype=torch.float64).eval()
    if model.config.num_attention_heads % 2 == 0:
        names += ["half-heads"]
    names += ["one-head"]
    with torch.no_grad():
        y = model(torch.tensor([ids])).last_hidden_state
        eager = AutoModel.from_pretrained(HERE / name, attn_implementation="eager",
                                          dtype=torch.float64).eval()
        assert off(y, eager(torch.tensor([ids])).last_hidden_state) < 1e-6
        q, k, v, scale = attention.layers[layer]

        def after(z):
            return output(model, layer)(z.transpose(0, 1).flatten(1))

        def pass_on(n):
            attention.name = n
            return off(model(torch.tensor([ids])).last_hidden_state, y)

        want = figures(attention, names, q, k, v, scale, after, pass_on)
    argv = ["-m", f"tests/ref/{name}", "--ids", ",".join(map(str, ids)), "-l", str(layer),
            *PARAMETERS]
    if additive:
        argv += ["--additive", "tests/ref/mechanisms/additive.safetensors"]
    return {"argv": [str(x) for x in argv], "want": want}


def cases():
    network = [draw(WIDTH, 10, by=0.5), draw(WIDTH, 10, by=0.5), draw(WIDTH, by=2)]
    save_file({n: x.float() for n, x in zip("WUv", network)},
              HERE / "mechanisms" / "additive.safetensors")
    ids = [2, 17, 40, 9, 33, 5, 3, 40, 9, 21, 30]
    done = [
        case("bert", ids, 1, False, lambda m, l: m.encoder.layer[l].attention.output.dense),
        case("gpt2", ids, 1, True, lambda m, l: m.h[l].attn.c_proj),
        case("llama", ids, 0, True, lambda m, l: m.layers[l].self_attn.o_proj, network),
        bare("w_q", 4),
        bare("w_q", 4, "--mask", "causal", causal=True),
        bare("own_widths", 2, "--mask", "padding:1", padding=1),
    ]
    (HERE / "mechanisms" / "cases.json").write_text(json.dumps(done, indent=1) + "\n")


(HERE / "mechanisms").mkdir(exist_ok=True)
formulas()
cases()
