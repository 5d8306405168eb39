#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes mechanisms/numpy.npz and numpy.json: mechanisms by their formulas, in NumPy and in
double precision.

    python3 tests/ref/make_mechanisms_numpy.py

numpy.npz: for each SET, SET.q, SET.k, SET.v, and SET.MASK.NAME.out [T, d_v], of some also
SET.MASK.NAME.w [T, S]; the parameters stand in tests/unit/nn_mechanism_numpy.c too.
qkv/{q,k,v}.npy: for a call of `mha-viz mechanisms --qkv --mask causal`; qkv/want.npz and
numpy.json: what its npz holds, and the numbers of its report.
"""
import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent / "mechanisms"
SCALE = 0.5
P = dict(window=3, sinks=2, budget=7, recent=3, page=4, segments=7, rank=3)
rng = np.random.default_rng(11)


def draw(*shape, by=1.0):
    """Numbers that a float holds exactly."""
    return (rng.standard_normal(shape) * by).astype(np.float32).astype(np.float64)


def softmax(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def rows(s, kept):
    """Softmax of each row of scores over the keys kept[i]."""
    w = np.zeros_like(s)
    for i, keys in enumerate(kept):
        if len(keys):
            w[i, keys] = softmax(s[i, keys])
    return w


def seen_keys(T, S, causal):
    return [list(range(i + 1 if causal else S)) for i in range(T)]


def highest(values, k):
    """The k highest, of equal ones the first, ascending."""
    order = sorted(range(len(values)), key=lambda j: (-values[j], j))
    return sorted(order[:k])


def h2o(s, seen, budget, recent):
    """Each row evicts what it does not keep; the weights over what it keeps are votes."""
    votes, evicted, kept = np.zeros(s.shape[1]), set(), []
    for i, keys in enumerate(seen):
        keys = [j for j in keys if j not in evicted]
        if len(keys) > budget:
            older = keys[:-recent]
            best = highest([round(votes[j] * 1e6) for j in older], budget - recent)
            stay = [older[j] for j in best] + keys[-recent:]
            evicted |= set(keys) - set(stay)
            keys = stay
        kept.append(keys)
        votes[keys] += softmax(s[i, keys])
    return kept


def quest(q, k, seen, budget, page):
    kept = []
    for i, keys in enumerate(seen):
        if len(keys) <= budget:
            kept.append(keys)
            continue
        pages = [[j for j in keys if j // page == p] for p in sorted({j // page for j in keys})]
        bounds = [np.maximum(q[i] * k[p].min(0), q[i] * k[p].max(0)).sum() for p in pages]
        chosen = highest(bounds, max(1, budget // page))
        kept.append([j for p in chosen for j in pages[p]])
    return kept


def quantise(x, axis, bits, group=32):
    y = x.copy()
    for first in range(0, x.shape[axis], group):
        at = [slice(None)] * 2
        at[axis] = slice(first, first + group)
        part = x[tuple(at)]
        low, high = part.min(axis, keepdims=True), part.max(axis, keepdims=True)
        step = (high - low) / (2**bits - 1)
        whole = np.rint((part - low) / np.where(step > 0, step, 1)) * step + low
        y[tuple(at)] = np.where(step > 0, whole, part).astype(np.float32)
    return y


def low_rank(k, r):
    u, s, vt = np.linalg.svd(k, full_matrices=False)
    return u[:, :r] * s[:r] @ vt[:r]


def linformer(q, k, v, n):
    S = len(k)
    n = min(n, S)
    cut = [g * S // n for g in range(n + 1)]
    segments = [slice(a, b) for a, b in zip(cut, cut[1:])]
    p = np.stack([softmax(x) for x in
                  SCALE * q @ np.stack([k[g].mean(0) for g in segments]).T])
    w = np.concatenate([np.repeat(p[:, [i]] / (g.stop - g.start), g.stop - g.start, 1)
                        for i, g in enumerate(segments)], 1)
    return w, p @ np.stack([v[g].mean(0) for g in segments])


def favor(q, k, seen, directions):
    """In logarithms, so that no feature vanishes."""
    def ln(x):
        y = x * SCALE**0.5
        return y @ directions.T - (y * y).sum(-1, keepdims=True) / 2
    a, b = ln(q), ln(k)
    s = a[:, None] + b[None]
    most = s.max(-1, keepdims=True)
    return rows(np.log(np.exp(s - most).sum(-1)) + most[..., 0], seen)


def mechanisms(q, k, v, causal):
    T, S = len(q), len(k)
    s, seen = SCALE * q @ k.T, seen_keys(T, S, causal)
    i, j = np.indices((T, S))
    near = (abs(i - j) <= P["window"]) | (j < P["sinks"])
    done = {
        "plain": rows(s, seen), "flash": rows(s, seen),
        "sinks": rows(s, [[c for c in keys if near[t, c]] for t, keys in enumerate(seen)]),
        "quest": rows(s, quest(q, k, seen, P["budget"], P["page"])),
        "low-rank": rows(SCALE * q @ low_rank(k, P["rank"]).T, seen),
    }
    if causal:
        done["h2o"] = rows(s, h2o(s, seen, P["budget"], P["recent"]))
    done = {name: (w, w @ v) for name, w in done.items()}
    for bits in (2, 4):
        w = rows(SCALE * q @ quantise(k, 0, bits).T, seen)
        done[f"kivi{bits}"] = w, w @ quantise(v, 1, bits)
    if not causal:
        done["linformer"] = linformer(q, k, v, P["segments"])
    return done


def budgeted(q, k, v, causal, b):
    """Those that keep b keys, side by side."""
    T, S = len(q), len(k)
    s, seen = SCALE * q @ k.T, seen_keys(T, S, causal)

    def within(sees):
        w = rows(s, [keys if len(keys) <= b else [c for c in keys if sees(t, c)]
                     for t, keys in enumerate(seen)])
        return w, w @ v

    def near(t, c, others):
        left = b - 1 - others
        return t - (left if causal else left - left // 2) <= c <= t + left // 2

    w = rows(s, [[keys[c] for c in highest(s[t, keys], b)] for t, keys in enumerate(seen)])
    return {
        "local": within(lambda t, c: near(t, c, 0)),
        "sinks": within(lambda t, c: c < P["sinks"] or near(t, c, P["sinks"])),
        "block": within(lambda t, c: t // b == c // b),
        "top-k": (w, w @ v),
    }


def hidden_keys(q, k, v):
    """quest where a mask hides keys, the last among them, or a window does: a bound is over
    the keys that the row sees."""
    T, S = len(q), len(k)
    masks = {
        "hidden": [[j for j in range(S - 6) if (3 * i + j) % 5] for i in range(T)],
        "padded": [list(range(S - 6)) for _ in range(T)],
        "window": [list(range(max(0, i - 17), i + 1)) for i in range(T)],
    }
    for mask, seen in masks.items():
        w = rows(SCALE * q @ k.T, quest(q, k, seen, P["budget"], P["page"]))
        yield from ((f"long.{mask}.quest.w", w), (f"long.{mask}.quest.out", w @ v))


def formulas():
    arrays, shapes = {}, {"long": (40, 6, 36, 1.5), "wide": (9, 20, 5, 0.5),
                          "deep": (90, 80, 4, 0.2)}
    for name, (T, d, d_v, by) in shapes.items():
        q, k, v = draw(T, d, by=by), draw(T, d, by=by), draw(T, d_v)
        arrays |= {f"{name}.q": q, f"{name}.k": k, f"{name}.v": v}
        for mask in ("full", "causal"):
            done = mechanisms(q, k, v, mask == "causal")
            if name == "long":
                done |= {f"budget.{n}": x
                         for n, x in budgeted(q, k, v, mask == "causal", P["budget"]).items()}
                even = budgeted(q, k, v, mask == "causal", P["budget"] + 1)
                done |= {f"even.{n}": even[n] for n in ("local", "sinks")}
            for n, (w, out) in done.items():
                if name == "long" or n == "low-rank":
                    arrays[f"{name}.{mask}.{n}.out"] = out
                if name == "long" and not n.startswith("kivi"):
                    arrays[f"{name}.{mask}.{n}.w"] = w
    arrays |= dict(hidden_keys(*(arrays[f"long.{x}"] for x in "qkv")))
    far = [draw(12, 6, by=300), draw(12, 6, by=300), draw(12, 5)]
    directions = draw(8, 6)
    arrays |= {f"far.{n}": x for n, x in zip("qkv", far)} | {"far.favor": directions}
    assert (SCALE * far[0] @ far[1].T).max() > 1e5
    for mask in ("full", "causal"):
        w = favor(far[0], far[1], seen_keys(12, 12, mask == "causal"), directions)
        arrays[f"far.{mask}.favor.w"], arrays[f"far.{mask}.favor.out"] = w, w @ far[2]
    np.savez_compressed(HERE / "numpy.npz",
                        **{n: x.astype(np.float32) for n, x in arrays.items()})


def call():
    """Four heads: gqa averages their keys and values in pairs."""
    H, T, d = 4, 12, 6
    q, k, v = draw(H, T, d), draw(H, T, d), draw(H, T, d)
    (HERE / "qkv").mkdir(exist_ok=True)
    for name, x in zip("qkv", (q, k, v)):
        np.save(HERE / "qkv" / f"{name}.npy", x.astype(np.float32))
    pairs = [x.reshape(2, 2, T, d).mean(1).repeat(2, 0) for x in (k, v)]
    causal = np.tril(np.ones((T, T), bool))

    def attend(q, k, v):
        s = np.where(causal, q @ k.swapaxes(1, 2) / d**0.5, -np.inf)
        w = np.stack([np.stack([softmax(row) for row in head]) for head in s])
        return w, (w @ v).transpose(1, 0, 2).reshape(T, H * d)

    exact, grouped = attend(q, k, v), attend(q, *pairs)
    np.savez_compressed(HERE / "qkv" / "want.npz", **{
        f"{part}.0.{name}": x.astype(np.float32)
        for name, both in (("exact", exact), ("gqa", grouped))
        for part, x in zip(("rows", "out"), both)})
    z, own = (x[1].reshape(T, H, d) for x in (grouped, exact))
    m = (grouped[0] + exact[0]) / 2
    with np.errstate(all="ignore"):
        js = sum(np.nan_to_num(p * np.log(p / m)) for p in (grouped[0], exact[0])).sum(-1) / 2
        entropy = -np.nan_to_num(grouped[0] * np.log(grouped[0])).sum(-1)
    same = grouped[0].argmax(-1) == exact[0].argmax(-1)
    heads = [{"head": h,
              "error": float(np.linalg.norm(z[:, h] - own[:, h]) / np.linalg.norm(own[:, h])),
              "js": float(js[h].mean()), "links_kept": float(same[h].mean()),
              "entropy": float(entropy[h].mean()), "scores": 1.0} for h in range(H)]
    (HERE / "numpy.json").write_text(json.dumps(
        {"error": float(np.linalg.norm(z - own) / np.linalg.norm(own)), "heads": heads},
        indent=1) + "\n")


formulas()
call()
