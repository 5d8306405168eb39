#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/ref/precomputed: attention that something else has computed, and all that it is
computed of, with what PyTorch and NumPy make of it.

    python3 tests/ref/make_precomputed.py

cases.json has command lines of export, and NAME.npz the arrays that it must write: for
--qkv the weights and output of torch's scaled dot product attention in double, for
--attention the arrays themselves.  stats.json has command lines of stats, and what it must
say of each head.  bad has files that are refused; bad.json, what is said of them.
Some of all of them are seeds of the fuzz target precomputed.
"""
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

HERE = Path(__file__).parent / "precomputed"
SEEDS = Path(__file__).parent.parent / "fuzz" / "corpus" / "precomputed"
DIR = "tests/ref/precomputed"
rng = np.random.default_rng(1)
cases, stats, bad = [], [], {}


def npz(path, arrays, **members):
    """Arrays, and members that are no arrays; the same bytes every time."""
    with zipfile.ZipFile(path, "w") as z:
        for name, x in arrays.items():
            out = io.BytesIO()
            np.save(out, x)
            z.writestr(zipfile.ZipInfo(name + ".npy"), out.getvalue())
        for name, text in members.items():
            z.writestr(zipfile.ZipInfo(name.replace("_json", ".json")), text)


def softmax(shape, causal=False):
    x = rng.standard_normal(shape) * 2
    if causal:
        x = np.where(np.tril(np.ones(shape[-2:])) > 0, x, -np.inf)
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


# ---- queries, keys, values ----

def qkv(name, q_shape, k_shape, d_v, *options, mask=None, scale=None, lower=None):
    q, k = rng.standard_normal(q_shape), rng.standard_normal(k_shape)
    v = rng.standard_normal((*k_shape[:-1], d_v))
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    files = [f"{DIR}/{name}.{part}.npy" for part in "qkv"]
    for x, part in zip((q, k, v), "qkv"):
        np.save(HERE / f"{name}.{part}.npy", x)
    q, k, v = (torch.tensor(x).double() for x in (q, k, v))
    if lower:
        q, k = q.to(lower).double(), k.to(lower).double()
    q, k, v = (x[None] if x.dim() == 2 else x for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[0] // x.shape[0], 0) for x in (k, v))
    scores = q @ k.mT * (scale or q.shape[-1] ** -0.5)
    if mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    out = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    assert torch.allclose(out, weights @ v)
    cross = q.shape[1] != k.shape[1] or "--key-tokens" in options
    want = {"cross.0" if cross else "attn.0": weights.float().numpy()}
    if not lower:           # weights are rounded, too, before they meet values
        want["cross.out.0" if cross else "out.0"] = \
            out.transpose(0, 1).reshape(q.shape[1], -1).float().numpy()
    npz(HERE / f"{name}.npz", want)
    cases.append({"name": name, "argv": ["--all", "--qkv", ",".join(files), *options]})


def make_qkv():
    tril = torch.zeros(6, 6, dtype=torch.double).masked_fill(torch.ones(6, 6).triu(1) > 0,
                                                             -torch.inf)
    added = torch.tensor(rng.standard_normal((5, 7)).astype(np.float32)).double()
    np.save(HERE / "added.npy", added.float().numpy())
    qkv("heads", (3, 5, 4), (3, 5, 4), 4)
    qkv("one_head", (5, 3), (5, 3), 3)
    qkv("causal", (2, 6, 4), (2, 6, 4), 4, "--mask", "causal", mask=tril)
    qkv("values", (2, 5, 4), (2, 5, 4), 7)
    qkv("groups", (6, 5, 4), (2, 5, 4), 3)
    qkv("one_group", (4, 5, 4), (5, 4), 9)
    qkv("cross", (2, 5, 4), (2, 7, 4), 3)
    qkv("named", (2, 3, 4), (2, 3, 4), 4, "--tokens", "a b c", "--key-tokens", "x y z")
    qkv("masked", (2, 5, 4), (2, 7, 4), 4, "--mask", f"{DIR}/added.npy", mask=added)
    qkv("scale", (2, 5, 4), (2, 5, 4), 4, "--score-scale", "0.125", scale=0.125)
    qkv("bf16", (2, 5, 4), (2, 5, 4), 4, "--dtype", "bf16", lower=torch.bfloat16)
    qkv("long", (2, 40, 4), (1, 40, 4), 5)
    q = [np.load(HERE / f"groups.{p}.npy") for p in "qkv"]
    for x, part in zip(q, "qkv"):           # the same twice, and once more reversed
        np.save(HERE / f"texts.{part}.npy", np.stack([x, x[:, ::-1]]))
    for part in "qkv":                      # the same with heads side by side in each row
        x = np.load(HERE / f"texts.{part}.npy").transpose(0, 2, 1, 3)
        np.save(HERE / f"joined.{part}.npy", x.reshape(*x.shape[:2], -1))


# ---- attention ----

def heads_of(layer, stack, rows, hidden):
    """What stats says of each head of [H,T,S]; hidden [T,S]: keys that do not count."""
    H, T, S = rows.shape
    for h in range(H):
        w = rows[h].astype(np.float64)
        seen = w.sum(-1) > 0
        entropy = np.where(w > 0, -w * np.log(np.where(w > 0, w, 1)), 0).sum(-1)
        visible = (~hidden).sum(-1)
        many = seen & (visible > 1)
        head = {"stack": stack, "layer": layer, "head": h,
                "entropy": entropy[seen].mean(),
                "entropy_norm": (entropy[many] / np.log(visible[many])).mean(),
                "max_mean": w.max(-1)[seen].mean(), "first": w[seen, 0].mean(),
                "rows_skipped": int((~seen).sum())}
        if stack != "cross":
            head["self"] = np.diag(w)[seen].mean()
        yield head


def attention(name, layers, stack, *options, causal=False):
    """layers: {number: [H,T,S] as it is read}"""
    T, S = next(iter(layers.values())).shape[1:]
    hidden = np.triu(np.ones((T, S), bool), 1) if causal else np.zeros((T, S), bool)
    stats.append({"argv": ["--attention", f"{DIR}/{name}", *options],
                  "heads": [head for l, x in sorted(layers.items())
                            for head in heads_of(l, stack, x, hidden)]})


def make_attention():
    two = {f"attn.{l}": softmax((3, 5, 5)).astype(np.float32) for l in (0, 1)}
    npz(HERE / "plain.npz", two, tokens_json='["a","b","c","d","ü"]')
    attention("plain.npz", {l: two[f"attn.{l}"] for l in (0, 1)}, "encoder")
    cases.append({"name": "plain", "argv": ["--attention", f"{DIR}/plain.npz"]})
    all_layers = softmax((2, 3, 6, 6), causal=True).astype(np.float16)
    np.save(HERE / "causal.npy", all_layers)
    attention("causal.npy", dict(enumerate(all_layers)), "decoder", causal=True)
    one = softmax((2, 4, 7))
    np.save(HERE / "cross.npy", one)
    attention("cross.npy", {0: one}, "cross")
    rows = softmax((2, 40, 40)).astype(np.float32)
    rows[1, 3] = 0
    np.save(HERE / "skipped.npy", rows)
    attention("skipped.npy", {0: rows}, "encoder")
    tuples = {f"arr_{l}": softmax((1, 2, 4, 4)).astype(np.float32) for l in range(11)}
    npz(HERE / "tuple.npz", tuples)
    attention("tuple.npz", {l: tuples[f"arr_{l}"][0] for l in (2, 10)}, "encoder",
              "-l", "2,10")
    gaps = {f"attn.{l}": softmax((2, 4, 4)).astype(np.float32) for l in (1, 3)}
    npz(HERE / "gaps.npz", gaps)
    attention("gaps.npz", {l: gaps[f"attn.{l}"] for l in (1, 3)}, "encoder")
    cases.append({"name": "gaps", "argv": ["--attention", f"{DIR}/gaps.npz"]})
    sums = softmax((2, 4, 4)).astype(np.float32)
    single = sums.copy()
    single[:, 1, 0] /= 3
    npz(HERE / "copies.npz", {"attn.0": single, "eff.0": sums})
    attention("copies.npz", {0: sums}, "encoder")
    cases.append({"name": "copies", "argv": ["--attention", f"{DIR}/copies.npz"]})
    make_decoder()


def make_decoder():
    enc = {0: softmax((4, 5, 5)), 1: softmax((4, 5, 5))}
    dec = {l: softmax((3, 4, 4), causal=True) for l in range(3)}
    cross = {l: softmax((3, 4, 5)) for l in range(3)}
    arrays = {f"{name}.{l}": x.astype(np.float32)
              for name, of in (("attn", enc), ("dec", dec), ("cross", cross))
              for l, x in of.items()}
    npz(HERE / "decoder.npz", arrays | {"ids": np.arange(5, dtype=np.int32),
                                        "decoder_ids": np.arange(9, 13)},
        tokens_json='["k0","k1","k2","k3","k4"]', decoder_tokens_json='["a","b","c","d"]')
    cases.append({"name": "decoder", "argv": ["--attention", f"{DIR}/decoder.npz"]})
    for stack, of in (("encoder", enc), ("decoder", dec), ("cross", cross)):
        attention("decoder.npz", {l: x.astype(np.float32) for l, x in of.items()}, stack,
                  "-s", stack, causal=stack == "decoder")


# ---- what is refused ----

def refuse(name, arrays, message, **members):
    if name.endswith(".npy"):
        np.save(HERE / "bad" / name, arrays)
    else:
        npz(HERE / "bad" / name, arrays, **members)
    bad[name] = message


def changed(*at, to):
    x = softmax((2, 40, 40)).astype(np.float32)
    x[at] = to
    return x


def make_bad():
    good = softmax((2, 3, 3)).astype(np.float32)
    wide = changed(1, 33, 39, to=np.float32(0))
    wide[1, 33] *= np.float32(0.5 / wide[1, 33].sum())
    refuse("sum.npy", wide, "sum.npy: layer 0: head 1, row 33: its weights sum to 0.5, expected "
           "1 (within 0.001), or 0 where it sees no key")
    refuse("negative.npz", {"attn.2": changed(1, 2, 3, to=-0.25)},
           "negative.npz: attn.2: head 1, row 2: weight 3 is -0.25, expected 0 to 1")
    refuse("nan.npz", {"attn.0": changed(0, 39, 39, to=np.nan)},
           "nan.npz: attn.0: head 0, row 39: weight 39 is nan, expected 0 to 1")
    refuse("inf.npz", {"cross.0": changed(0, 0, 1, to=np.inf)},
           "inf.npz: cross.0: head 0, row 0: weight 1 is inf, expected 0 to 1")
    refuse("copies.npz", {"attn.0": good * 2, "eff.0": good},
           "copies.npz: attn.0: head 0, row 0: its weights sum to 2, expected 1")
    refuse("int.npy", np.eye(3, dtype=np.int64)[None],
           "int.npy: layer 0: numbers of type I64, expected floats")
    refuse("bool.npz", {"attn.0": np.ones((1, 1, 1), bool)},
           "bool.npz: attn.0: numbers of type BOOL, expected floats")
    refuse("fortran.npy", np.asfortranarray(good), "fortran.npy: .npy header: is in Fortran order")
    refuse("rank2.npy", good[0], "rank2.npy: shape [3,3], expected [layers, heads, queries, "
           "keys] or [heads, queries, keys]")
    refuse("rank5.npz", {"attn.0": good[None, None]},
           "rank5.npz: attn.0: shape [1,1,2,3,3], expected [heads, queries, keys]")
    refuse("batch.npz", {"attn.0": np.stack([good, good])},
           "batch.npz: attn.0: shape [2,2,3,3], expected [heads, queries, keys]")
    refuse("empty.npy", np.zeros((2, 0, 0), np.float32), "empty.npy: shape [2,0,0], expected [")
    refuse("heads.npz", {"attn.0": good, "attn.1": good[:1]},
           "heads.npz: attn.0 has shape [2,3,3], attn.1 [1,3,3]: expected the same in all layers")
    refuse("length.npz", {"attn.0": good, "attn.1": softmax((2, 4, 4))},
           "length.npz: attn.0 has shape [2,3,3], attn.1 [2,4,4]: expected the same in all layers")
    refuse("square.npz", {"dec.0": softmax((2, 3, 4))},
           "square.npz: dec.0 has shape [2,3,4], expected as many keys as queries")
    refuse("meet.npz", {"attn.0": good, "cross.0": softmax((2, 3, 4))},
           "meet.npz: attn.0 has shape [2,3,3], cross.0 [2,3,4], which do not match")
    refuse("decoder.npz", {"dec.0": good, "cross.0": softmax((3, 3, 4))},
           "decoder.npz: dec.0 has shape [2,3,3], cross.0 [3,3,4], which do not match")
    refuse("lacks.npz", {"attn.0": good, "attn.1": good, "dec.1": good, "dec.0": good,
                         "cross.1": good},
           "lacks.npz: holds attn.0, but no cross.0")
    refuse("eff.npz", {"attn.0": good, "attn.1": good, "eff.1": good},
           "eff.npz: layer 0 has only one of attn.0 and eff.0")
    refuse("none.npz", {"attention": good, "attn.q.0": good},
           "none.npz: holds no array of attention: expected attn.0, attn.1, ..")
    refuse("many.npz", {"attn.4096": good}, "many.npz: attn.4096: expected layers 0 to 4095")
    refuse("tokens.npz", {"attn.0": good}, "tokens.npz: tokens.json: 2 names for 3 rows, expected "
           "as many", tokens_json='["a","b"]')
    refuse("strings.npz", {"attn.0": good}, "strings.npz: tokens.json: element 1 is not a string",
           tokens_json='["a",1,"b"]')
    refuse("object.npz", {"attn.0": good}, "object.npz: tokens.json: is not an array",
           tokens_json='{}')
    refuse("json.npz", {"attn.0": good}, "json.npz: tokens.json: ", tokens_json='["a"')
    refuse("ids.npz", {"attn.0": good, "ids": np.arange(4)},
           "ids.npz: ids: shape [4] of type I64, expected [3] of whole numbers")
    refuse("id.npz", {"attn.0": good, "ids": np.array([1, -2, 3])},
           "id.npz: ids[1]: -2 is not an id")


def make_seeds():
    """Files of each kind, for the fuzzer."""
    for name in ("plain.npz", "causal.npy", "cross.npy", "gaps.npz", "copies.npz",
                 "decoder.npz", "bad/eff.npz", "bad/lacks.npz"):
        (SEEDS / Path(name).name).write_bytes((HERE / name).read_bytes())


if __name__ == "__main__":
    make_qkv()
    make_attention()
    make_bad()
    make_seeds()
    for name, x in (("cases", cases), ("stats", stats), ("bad", bad)):
        (HERE / f"{name}.json").write_text(json.dumps(x, indent=1, ensure_ascii=False) + "\n")
