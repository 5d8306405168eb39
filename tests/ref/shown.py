#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics, and --hide, --renorm and --merge words, by NumPy in double from what export writes.

    python3 tests/ref/shown.py PROGRAM export.npz stats.json [--keys cross]

Reads the attention of an export, and a report of `stats --json` with any of the options.
Metrics are of rows divided by what --hide leaves; links with --renorm alone.  Says where a metric of the report, links, top or rows_skipped is another than the formulas below give,
and which metrics of --metric all it does not know.  GROUPS in the environment: the word of
each token, separated by commas (--merge words), of queries and keys alike; TOKENS: what
`tokens --json` says of the texts; CONFIG: the model's config.json; CACHE: options of caches.
"""
import json
import os
import sys

import numpy as np

import weight


def merged(a, hide_q, hide_k, groups, divided):
    """Rows [words, words] of one head, and what of it is shown and visible."""
    a = a.astype(np.float64)
    visible = a > 0
    visible[:, hide_k] = False
    a = np.where(visible, a, 0)
    seen = a.sum(1) > 0
    if divided:
        a[seen] /= a[seen].sum(1, keepdims=True)
    if groups is None:
        return a, visible, np.array([i not in hide_q for i in range(len(a))])
    n = max(groups) + 1
    out, vis, shown = np.zeros((n, n)), np.zeros((n, n), bool), np.zeros(n, bool)
    for g in range(n):
        rows = [i for i in range(len(a)) if groups[i] == g and i not in hide_q]
        shown[g] = len(rows) > 0
        rows = [i for i in rows if seen[i]]
        for j in range(a.shape[1]):
            if rows:
                out[g, groups[j]] += a[rows, j].mean()
                vis[g, groups[j]] |= visible[rows, j].any()
    return out, vis, shown


def mean(values):
    return float(np.mean(values)) if len(values) else None


def metrics(a, visible, shown, gone, one_axis, ids, query, key):
    key_ids = ids if one_axis or ids is None else key["ids"]
    n, n_keys = a.shape
    rows = [i for i in range(n) if shown[i] and a[i].sum() > 0]
    entropy = {}
    for i in rows:
        p = a[i][a[i] > 0] / a[i].sum()
        entropy[i] = -(p * np.log(p)).sum()
    away = np.arange(n_keys)[None, :] - np.arange(n)[:, None]
    place = lambda d: mean([a[i, i + d] for i in rows if 0 <= i + d < n and i + d not in gone])
    return {
        "entropy": mean(list(entropy.values())),
        "entropy_norm": mean([entropy[i] / np.log(visible[i].sum()) for i in rows
                              if visible[i].sum() > 1]),
        "max_mean": mean([a[i].max() for i in rows]),
        "distance": mean([(a[i] * away[i]).sum() for i in rows]) if one_axis else None,
        "distance_abs": mean([(a[i] * abs(away[i])).sum() for i in rows]) if one_axis else None,
        "prev": place(-1) if one_axis else None, "self": place(0) if one_axis else None,
        "next": place(1) if one_axis else None,
        "first": None if 0 in gone else mean([a[i, 0] for i in rows]),
        "rows_skipped": int(sum(shown)) - len(rows),
        **wide(a, visible, rows),
        **(far(a, visible, rows) if one_axis else dict.fromkeys(FAR)),
        **kinds(a, visible, rows, gone, one_axis, query, key),
        **(again(a, visible, rows, ids) if one_axis else dict.fromkeys(AGAIN)),
        **first(a, visible, rows, gone, one_axis),
        **rare(a, visible, rows, key_ids, query["end"], key["end"]),
        **columns(a, visible, rows),
        **patterns(a, visible, rows, gone, one_axis, query, key),
        **ranks(a, rows),
        **scores(a, rows),
        **profile(a, visible, rows, one_axis),
        **sinks(a, visible, rows),
        **(places(a, visible, rows, place) if one_axis else dict.fromkeys(PLACES)),
    }


LONG = 32       # tokens; in no more of them all is near, and some key always gets much


def sinks(a, visible, rows):
    """Of the largest share that a key other than the first gets."""
    n, total = visible[rows].sum(0), a[rows].sum(0)
    seeing = [i for i in rows if visible[i, 0]]
    other = [total[j] / n[j] for j in range(1, a.shape[1]) if n[j] and (n[j] == len(rows) or n[j] >= 16)]
    most = max(other) if other else None
    return {"sink_share": float(mean([a[i, 0] for i in seeing]) > .3) if seeing else None,
            "sink_other": most, "sink_long": most if a.shape[1] > LONG else None}


def places(a, visible, rows, place):
    """Of the order of tokens: by name, and what labels of heads are decided by."""
    n = a.shape[1]
    j = np.arange(n)
    away = j[None, :] - np.arange(len(a))[:, None]
    close = lambda x, w: mean([x[i][abs(away[i]) <= w].sum() for i in rows])
    own = lambda i, k: a[i, k] if 0 <= k < n else 0.
    whole = mean([a[i].sum() for i in rows])
    return {
        "token_distance": mean([(a[i] * away[i]).sum() for i in rows]),
        "token_distance_abs": mean([(a[i] * abs(away[i])).sum() for i in rows]),
        "token_prev": place(-1), "token_next": place(1),
        "near": close(a, 4) if n > LONG else None,
        "far": whole - close(a, 16) if n > LONG and rows else None,
        "key_even": mean([1 / visible[i].sum() for i in rows]),
        "local_even": mean([visible[i][abs(away[i]) <= 4].sum() / visible[i].sum() for i in rows]),
        "prev_clark": mean([own(i, i - 1) for i in rows]),
        "next_clark": mean([own(i, i + 1) for i in rows]),
        **{f"offset_{k}": place(k) if n > 2 * abs(k) else None for k in OFFSETS},
    }


OFFSETS = [k for k in range(-8, 9) if abs(k) > 1]
PLACES = ("token_distance token_distance_abs token_prev token_next near far key_even local_even "
          "prev_clark next_clark").split() + [f"offset_{k}" for k in OFFSETS]


def wide(a, visible, rows):
    """Of how widely and how sparsely rows look."""
    p = {i: a[i] / a[i].sum() for i in rows}
    n = {i: visible[i].sum() for i in rows}
    h = {i: -(p[i][p[i] > 0] * np.log(p[i][p[i] > 0])).sum() for i in rows}
    many = [i for i in rows if n[i] > 1]
    smooth = {i: .9999 * p[i][visible[i]] + .0001 / n[i] for i in rows}
    down = {i: np.sort(p[i])[::-1].cumsum() for i in rows}
    entries = sum(n.values())
    out = {
        "entropy_norm_ratio": sum(h.values()) / sum(np.log(n[i]) for i in rows) if many else None,
        "entropy_clark": mean([-(smooth[i] * np.log(smooth[i])).sum() for i in rows]),
        "neff": mean([np.exp(h[i]) for i in rows]),
        "neff_of_mean": np.exp(np.mean(list(h.values()))) if rows else None,
        "participation": mean([1 / (p[i] ** 2).sum() for i in rows]),
        "kl_uniform": mean([np.log(n[i]) - h[i] for i in rows]),
        "uniformity_gap_norm": mean([1 - h[i] / np.log(n[i]) for i in many]),
        "tv_uniform": mean([abs(p[i][visible[i]] - 1 / n[i]).sum() / 2 for i in rows]),
        "frob2": (a[rows] ** 2).sum() if rows else None,
        "k90": mean([1 + int(np.argmax(down[i] >= .9 - 1e-6)) for i in rows]),
        "tau_uniform": sum((a[i][visible[i]] < .01 / n[i]).sum() for i in rows) / entries
        if rows else None,
        "tau_rowmax": sum((a[i][visible[i]] < .01 * a[i].max()).sum() for i in rows) / entries
        if rows else None,
    }
    for k in (1, 2, 4, 8, 16):
        out[f"top{k}_mass"] = mean([down[i][min(k, len(down[i])) - 1] for i in rows])
    return out


def far(a, visible, rows):
    """Of distances, where queries and keys are the same tokens."""
    j = np.arange(a.shape[1])
    out = {"distance_sd": [], "distance_norm": []}
    for i in rows:
        p, d = a[i] / a[i].sum(), j - i
        out["distance_sd"].append(np.sqrt((p * (d - (p * d).sum()) ** 2).sum()))
        out["distance_norm"].append((a[i] * abs(d)).sum() / max(1, abs(d[visible[i]]).max()))
    for w in (1, 2, 4, 8, 16):
        out[f"local_{w}"] = [a[i][abs(j - i) <= w].sum() for i in rows]
    out = {name: mean(values) for name, values in out.items()}
    back = [(i, k) for i in rows for k in range(1, i + 1)]
    mass = sum(a[i, k] for i, k in back)
    out["distance_vig"] = sum(a[i, k] * (i - k) for i, k in back) / mass if mass > 0 else None
    out["tl_prev"] = sum(a[i, i - 1] for i in rows if i > 0) / a[rows].sum() if rows else None
    return out


FAR = ("distance_sd distance_norm distance_vig local_1 local_2 local_4 local_8 local_16 "
       "tl_prev").split()


KINDS = [name + end for name in ("special", "punct", "sep") for end in ("", "_lift")] + [
    "sep_from_sep", "sep_from_other", "confidence", "argmax_prev", "argmax_self", "argmax_next"]


def kinds(a, visible, rows, gone, one_axis, query, key):
    """Of special tokens, punctuation and separators, and of rows without ends."""
    n = visible.sum(1)
    out = dict.fromkeys(KINDS)
    for name in ("special", "punct", "sep"):
        group = np.array(key[name])
        out[name] = mean([a[i][group].sum() for i in rows])
        even = mean([(visible[i] & group).sum() / n[i] for i in rows])
        out[name + "_lift"] = out[name] / even if even else None
        for end, wanted in ("_from_sep", True), ("_from_other", False):
            if name == "sep":
                out[name + end] = mean([a[i][group].sum() for i in rows
                                        if query["sep"][i] == wanted])
    rest = ~np.array(key["end"])
    best = {i: max((j for j in range(a.shape[1]) if visible[i, j] and rest[j]),
                   key=lambda j: (a[i, j], -j)) for i in rows
            if not query["end"][i] and (visible[i] & rest).any()}
    out["confidence"] = mean([a[i, j] for i, j in best.items()])
    for name, away in ("prev", -1), ("self", 0), ("next", 1):
        if one_axis:
            out["argmax_" + name] = mean([float(j == i + away) for i, j in best.items()
                                          if 0 <= i + away < len(a) and i + away not in gone])
    return out


def marks(names, ids, special, types, config, of_decoder, groups):
    """What each token is, by what `tokens --json` and config.json say; words: all of theirs."""
    listed = lambda key: [x for x in np.ravel(config.get(key)).tolist() if x is not None]
    eos, bos = listed("eos_token_id"), listed("bos_token_id")
    sep = [t == "[SEP]" for t in names]
    texts = [t.removeprefix("##").strip("Ġ▁ ") for t in names]
    end = [i in eos for i in ids] if eos else list(sep)
    if config.get("is_encoder_decoder") and of_decoder and special[0]:
        end[0] = True
    if config["model_type"] != "bert":
        back = not config.get("is_encoder_decoder")
        sep = [i in eos or back and (i in bos or set(t) == {"Ċ"}) for i, t in zip(ids, names)]
    out = {"special": [bool(x) for x in special], "punct": [t in (".", ",") for t in texts],
           "sep": sep, "end": end}
    if groups:
        out = {k: [all(x for x, g in zip(v, groups) if g == word)
                   for word in range(max(groups) + 1)] for k, v in out.items()}
        types = [types[groups.index(word)] for word in range(max(groups) + 1)]
    return {**out, "type": types}


def sides(report, groups):
    """marks() of queries and keys: TOKENS and CONFIG in the environment name the files."""
    tokens, config = (json.load(open(os.environ[x])) for x in ("TOKENS", "CONFIG"))
    config = {**config, **config.get("text_config", {})}
    if "ids_key" not in report:
        one = marks(tokens["tokens"], tokens["ids"], tokens["special"],
                    tokens["type_ids"], config, False, groups)
        return one, one
    config["is_encoder_decoder"] = True     # by the family, where the file does not say so
    n = len(report["ids_key"])
    return marks(report["tokens"], report["ids"], [1] * len(report["ids"]),
                 [0] * len(report["ids"]), config, True, None), \
        {**marks(report["tokens_key"], report["ids_key"], tokens["special"][:n], [0] * n, config,
                 False, None), "ids": report["ids_key"]}


AGAIN = [name + end for name in ("duplicate", "induction")
         for end in ("", "_coverage", "_covered")]


def again(a, visible, rows, ids):
    """Of the same token elsewhere, and of what followed it."""
    out = dict.fromkeys(AGAIN)
    if ids is None or not rows:
        return out
    same = np.array([[x == y for y in ids] for x in ids]) & ~np.eye(len(ids), dtype=bool)
    after = np.tril(np.roll(same, 1, axis=1))
    after[:, 0] = False
    for name, pattern in ("duplicate", same), ("induction", after):
        out[name] = (a * pattern)[rows].sum() / a[rows].sum()
        share = out[name + "_coverage"] = mean((pattern & visible)[rows].any(1))
        out[name + "_covered"] = out[name] / share if share > 0 else None
    return out


RARE = ("rare1", "rare2", "rare1_text", "rare2_text", "rare_rho")


def rare(a, visible, rows, ids, query_end, end):
    """Of rare tokens; ids, end: of the keys.  UNIGRAMS: the counts, else those of the text."""
    if ids is None:
        return dict.fromkeys(RARE)
    path, count = os.environ.get("UNIGRAMS"), {}
    for i in [] if path else ids:
        count[i] = count.get(i, 0) + 1
    if path:
        count = dict(map(int, line.split()) for line in open(path))
    common = sorted((i for i in count if count[i] > 0), key=lambda i: (-count[i], i))[:500]
    if all(i in common or ends for i, ends in zip(ids, end)):
        return dict.fromkeys(RARE)
    first, second = [], []
    for i in rows:
        keys = [j for j in np.flatnonzero(visible[i]) if not end[j]]
        rarest = list(dict.fromkeys(ids[j] for j in sorted(
            keys, key=lambda j: (count.get(ids[j], 0), j))))
        if len(rarest) < 2 or query_end[i]:
            continue
        best = ids[max(keys, key=lambda j: (a[i, j], -j))]
        first.append(best == rarest[0])
        second.append(best in rarest[:2])
    seen = np.flatnonzero(visible[rows].any(0))
    gets = [a[rows, j].sum() / visible[rows, j].sum() for j in seen]
    told = [(g, j) for g, j in zip(gets, seen) if not end[j]]
    least = list(dict.fromkeys(ids[j] for _, j in sorted(
        told, key=lambda x: (count.get(ids[x[1]], 0), x[1]))))
    most = ids[max(told, key=lambda x: (x[0], -x[1]))[1]] if told else None
    of_text = {f"rare{k}_text": float(most in least[:k]) if len(least) > 1 else None
               for k in (1, 2)}
    rank = lambda x: np.array([sum(y < v for y in x) + (sum(y == v for y in x) - 1) / 2
                               for v in x])
    x, y = rank(gets), rank([count.get(ids[j], 0) for j in seen])
    varies = len(seen) > 1 and x.std() > 0 and y.std() > 0
    return {"rare1": mean(first), "rare2": mean(second), **of_text,
            "rare_rho": np.corrcoef(x, y)[0, 1] if varies else None}


def columns(a, visible, rows):
    """Of what each key gets."""
    seen = visible[rows].sum(0)
    total = a[rows].sum(0)
    return {
        "received": [x / n if n else None for x, n in zip(total, seen)] if rows else None,
        "query_independence": (total ** 2).sum() / (len(rows) * (a[rows] ** 2).sum())
        if rows else None,
        "sinks": [float(j) for j, (x, n) in enumerate(zip(total, seen))
                  if n and x / n > .3 and (j == 0 or n == len(rows) or n >= 16)]
        if rows else None,
    }


def patterns(a, visible, rows, gone, one_axis, query, key):
    """Stripes, the diagonal, blocks."""
    stripes = np.sort(a[rows].mean(0))[-2:].sum() if rows else None
    out = dict.fromkeys(["pattern_diagonal", "pattern_block", "pattern_rest", "kovaleva"])
    out["pattern_vertical"] = stripes
    if not one_axis or not rows:
        return out
    diagonal = sum(mean([a[i, i + d] for i in rows
                         if 0 <= i + d < len(a) and i + d not in gone]) or 0
                   for d in (-1, 0, 1))
    type_q, type_k = np.array(query["type"]), np.array(key["type"])
    plain, within, chance, types = ~np.array(key["special"]), [], [], set()
    for i in rows:
        if not query["special"][i] and a[i][plain].sum() > 0:
            own = plain & (type_k == type_q[i])
            within.append(a[i][own].sum() / a[i][plain].sum())
            chance.append((visible[i] & own).sum() / (visible[i] & plain).sum())
            types.add(bool(type_q[i]))
    block = None
    if len(types) == 2:
        block = (mean(within) - mean(chance)) / (1 - mean(chance))
    out.update(pattern_diagonal=diagonal, pattern_block=block,
               pattern_rest=1 - stripes - diagonal)
    out["kovaleva"] = "vertical" if stripes >= .6 else "diagonal" if diagonal >= .5 else \
        "vertical+diagonal" if stripes + diagonal >= .7 and min(stripes, diagonal) >= .2 else \
        "block" if block is not None and block >= .5 else "heterogeneous"
    return out


def ranks(a, rows):
    """Of singular values."""
    if not rows:
        return dict.fromkeys(["erank", "erank_sq", "stable_rank"])
    s = np.linalg.svd(a[rows] / a[rows].sum(1, keepdims=True), compute_uv=False)
    h = lambda p: np.exp(-(p[p > 0] * np.log(p[p > 0])).sum())
    return {"erank": h(s / s.sum()), "erank_sq": h(s ** 2 / (s ** 2).sum()),
            "stable_rank": (s ** 2).sum() / s.max() ** 2}


def scores(a, rows):
    """Of ln a, which is the score but for a constant of the row."""
    out = []
    for i in rows:
        p = a[i][a[i] > 0] / a[i].sum()
        out.append((p * np.log(p) ** 2).sum() - (p * np.log(p)).sum() ** 2)
    return {"var_logit": mean(out)}


PROFILE = "profile profile_lift profile_peak profile_half period".split()


def profile(a, visible, rows, one_axis):
    """By distance."""
    out = dict.fromkeys(PROFILE)
    if not one_axis or not rows:
        return out
    mass, even, count = (np.zeros(max(a.shape)) for _ in range(3))
    for i in rows:
        for j in np.flatnonzero(visible[i]):
            mass[abs(i - j)] += a[i, j]
            even[abs(i - j)] += 1 / visible[i].sum()
            count[abs(i - j)] += 1
    n = np.flatnonzero(count)[-1] + 1
    lift = [m / e if c else None for m, e, c in zip(mass[:n], even, count)]
    out["profile"] = [m / c if c else None for m, c in zip(mass[:n], count)]
    out["profile_lift"] = lift
    many = [d for d in range(1, n) if count[d] >= 32]
    out["profile_peak"] = float(max(many, key=lambda d: (lift[d], -d))) if many else None
    out["profile_half"] = float(np.argmax(mass.cumsum() >= mass.sum() / 2 - 1e-12))
    bins = int(np.argmin(np.append(count >= 32, False)))
    if bins and all(mass[:bins] > 0):
        x = np.log(np.array(lift[:bins], float))
        x -= x.mean()
        r = [(x[:bins - k] * x[k:]).sum() for k in range(bins)]
        peaks = [k for k in range(2, bins - 1) if r[k] > r[k - 1] and r[k] >= r[k + 1]]
        out["period"] = float(max(peaks, key=lambda k: (r[k], -k))) if peaks else None
    return out


def raw_of(arrays, head):
    """The attention of the head's layer."""
    return arrays[f"{'cross' if head['stack'] == 'cross' else 'attn'}.{head['layer']}"]


def looked(arrays, head):
    """Of queries, keys and values (export --all), of all tokens; and lengths of values."""
    config = json.load(open(os.environ["CONFIG"]))
    dot = "cross." if head["stack"] == "cross" else ""
    H, n = len(raw_of(arrays, head)), head["head"]
    q, k, v = (arrays[f"{dot}{x}.{head['layer']}"].astype(np.float64) for x in "qkv")
    k, v = (x[n // (H // len(x))] for x in (k, v))
    width = config.get("query_pre_attn_scalar", q.shape[2])
    scale = 1 if config["model_type"] == "t5" else width ** -.5
    if config.get("scale_attn_by_inverse_layer_idx"):
        scale /= head["layer"] + 1
    score = (q[n] @ k.T * scale)[raw_of(arrays, head)[n] > 0]
    rotated = config["model_type"] in ROTATED_HALVES and not dot
    return {"max_logit": score.max(), "max_abs_logit": abs(score).max(),
            "rope_share": list(planes(q[n], k)) if rotated else None}, \
        v, written(config, head, v)


OUTPUT = {"bert": "bert.encoder.layer.{}.attention.output.dense.weight",
          "gpt2": "transformer.h.{}.attn.c_proj.weight.T",
          "bloom": "transformer.h.{}.self_attention.dense.weight",
          "bart": "model.decoder.layers.{}.encoder_attn.out_proj.weight",
          "t5": "decoder.block.{}.layer.1.EncDecAttention.o.weight",
          **dict.fromkeys(("llama", "mistral", "gemma3_text"),
                          "model.layers.{}.self_attn.o_proj.weight")}


def written(config, head, v):
    """v W_O of a head, by the weights beside CONFIG."""
    model = weight.tensors(os.path.dirname(os.environ["CONFIG"]))
    name = OUTPUT[config["model_type"]].format(head["layer"])
    name = name if name.removesuffix(".T") in model else name.split(".", 1)[1]
    w = model[name.removesuffix(".T")].astype(np.float64)
    w = w if name.endswith(".T") else w.T
    n, d = head["head"], v.shape[1]
    return v @ w[n * d:(n + 1) * d]


ROTATED_HALVES = ("llama", "mistral", "gemma3_text")


def planes(q, k):
    """Mean lengths in the planes of columns (i, i + d / 2), multiplied and divided by their sum."""
    mean = lambda x: np.hypot(*np.split(x, 2, 1)).mean(0)
    product = mean(q) * mean(k)
    return product / product.sum()


NULL = ("null_mass", "entropy_renorm", "neff_renorm", "max_mean_renorm")


def drain(length, a, visible, rows, sinks):
    """Lengths of the sinks' values, and of what is written of them, against the other keys'."""
    if sinks is None or len(length[0]) != a.shape[1]:
        return {"drain_v": None, "drain_out": None}
    others = [j for j in range(a.shape[1]) if j not in sinks and visible[rows, j].any()]
    return {name: [x[int(j)] / np.median(x[others]) for j in sinks] if others else None
            for name, x in zip(("drain_v", "drain_out"), length)}


def through(maps, heads):
    """rollout and flow of a report's heads, which are all heads of each layer."""
    if heads[0]["stack"] == "cross":
        return {"rollout": None, "flow": None}
    layers, product = [], None
    for layer in sorted({h["layer"] for h in heads}):
        of = [a for (a, _, _), h in zip(maps, heads) if h["layer"] == layer]
        mixed = np.eye(len(of[0]))
        for i in range(len(mixed)):
            rows = [a[i] for (a, _, shown), h in zip(maps, heads)
                    if h["layer"] == layer and shown[i] and a[i].sum() > 0]
            if rows:
                mixed[i] += np.mean(rows, axis=0)
        layers.append(mixed / mixed.sum(1, keepdims=True))
        product = layers[-1] if product is None else layers[-1] @ product
    n, out = len(product), {"rollout": [[i, list(row)] for i, row in enumerate(product)]}
    if n > 64:
        return {**out, "flow": None}
    if n * n * len(layers) > 400:       # by augmenting paths it would take minutes
        return out
    flow = np.array([[greatest(layers, u, v) for v in range(n)] for u in range(n)])
    flow /= flow.sum(1, keepdims=True)
    return {**out, "flow": [[i, list(row)] for i, row in enumerate(flow)]}


def greatest(layers, u, v):
    """The greatest flow from u above the layers to v below them: Edmonds and Karp."""
    left = {}
    for l, mixed in enumerate(layers):
        for i, j in np.ndindex(mixed.shape):
            if mixed[i, j] > 0:
                left.setdefault((l + 1, i), {})[l, j] = mixed[i, j]
                left.setdefault((l, j), {})[l + 1, i] = 0.
    source, sink, total = (len(layers), u), (0, v), 0.
    while True:
        before, queue = {source: None}, [source]
        for node in queue:
            for to, capacity in left.get(node, {}).items():
                if capacity > 1e-12 and to not in before:
                    before[to] = node
                    queue.append(to)
        if sink not in before:
            return total
        path = [sink]
        while path[-1] != source:
            path.append(before[path[-1]])
        steps = list(zip(path[1:], path))
        most = min(left[x][y] for x, y in steps)
        for x, y in steps:
            left[x][y] -= most
            left[y][x] += most
        total += most


def entropies(p):
    return -(p * np.log(np.where(p > 0, p, 1))).sum(1)


def distances(heads):
    """The matrix of js of heads, (a, rows) of each; None: it is not known everywhere."""
    n = len(heads)
    js = np.zeros((n, n))
    for x in range(n):
        for y in range(x):
            rows = sorted(set(heads[x][1]) & set(heads[y][1]))
            if not rows:
                return None
            p, q = (heads[z][0][rows] / heads[z][0][rows].sum(1, keepdims=True) for z in (x, y))
            js[x, y] = js[y, x] = \
                (entropies((p + q) / 2) - (entropies(p) + entropies(q)) / 2).mean()
    return js


def placed(js, most):
    """js, mds and at most so many clusters of each head, by the matrix."""
    n = len(js)
    centre = np.eye(n) - 1 / n
    value, vector = np.linalg.eigh(-centre @ js @ centre / 2)
    place = vector[:, ::-1][:, :2] * np.sqrt(np.maximum(value[::-1][:2], 0))
    for axis in place.T:
        axis *= np.sign(axis[abs(axis).argmax()]) or 1
    groups = [[x] for x in range(n)]
    while len(groups) > most:
        apart = {(x, y): np.sqrt(js[np.ix_(groups[x], groups[y])]).mean()
                 for x in range(len(groups)) for y in range(x + 1, len(groups))}
        x, y = min(apart, key=apart.get)
        groups[x] += groups.pop(y)
    return [{"js": list(js[x]), "mds": list(place[x]) + [0.] * (2 - place.shape[1]),
             "js_cluster": float([x in group for group in groups].index(True))}
            for x in range(n)]


def between(heads):
    js = distances(heads)
    if js is None:
        return [{"js": None, "mds": None, "js_cluster": None}] * len(heads)
    return placed(js, 8)


def first(a, visible, rows, gone, one_axis):
    seeing = [i for i in rows if visible[i, 0]]
    alpha = mean([a[i, 0] for i in seeing])
    return {
        "bos": None if 0 in gone else mean([a[i, 0] for i in rows if i > 0 or not one_axis]),
        "alpha_0": alpha, "sink_0": None if alpha is None else float(alpha > .3),
    }


def differs(want, got):
    if isinstance(want, list) and isinstance(got, list):
        return len(want) != len(got) or any(map(differs, want, got))
    if isinstance(want, str):
        return want != got
    if want is None or got is None:
        return want is not got
    return abs(want - got) > 2e-6 * max(1, abs(want))


def check_links(a, visible, shown, head):
    rows = [i for i in range(len(a)) if shown[i]]
    bad = [link[0] for link in head["links"]] != rows
    for (i, j, w) in head["links"]:
        best = a[i].max()
        bad |= abs(w - best) > 1e-6 or (j is None) != (best == 0) or \
            (j is not None and best - a[i, j] > 1e-6)
    top = np.sort(a[rows][visible[rows]])[::-1][:len(head["top"])]
    bad |= any(abs(w - t) > 1e-6 or abs(a[i, j] - w) > 1e-6 or not shown[i]
               for (i, j, w), t in zip(head["top"], top))
    return bad


def asked():
    """CACHE in the environment: budgets, S, R, the prompt and the window of SnapKV."""
    return json.loads(os.environ.get("CACHE", "[[16, 64, 256], 4, 64, 0, 32]"))


def looks_back(visible, rows):
    return not any(visible[i, i + 1:].any() for i in rows)


def elected(seen, votes, most):
    """Those of seen with the most votes, equal ones by their places."""
    votes = np.floor(np.array(votes) * 1e6 + .5)
    return sorted(seen, key=lambda j: (-votes[j], j))[:most]


def caches(a, visible, rows, group):
    """Of few keys; group: (a, visible, rows) of the heads that share keys and values."""
    budgets, first, _, prompt, window = asked()
    n, out, kinds = len(a), {}, ("oracle", "recency", "h2o", "h2o_even", "snapkv")
    prompt = prompt or n // 2
    prefix = max(prompt - window, 0)
    late = sum(x[i, :prefix] for x, _, at in group for i in at if prefix <= i < prompt)
    pooled = np.convolve(np.zeros(prefix) + late, np.ones(5))[2:2 + prefix] / 5 if prefix else []
    for k in budgets:
        kept, against, agreed = ({name: [] for name in kinds} for _ in range(3))
        for i in rows:
            seen = np.flatnonzero(visible[i])
            if len(seen) <= k:
                continue
            kept["oracle"].append(np.sort(a[i])[-k:].sum())
            for name in ("h2o", "h2o_even"):
                against[name].append(kept["oracle"][-1])
            if k > first:
                against["recency"].append(kept["oracle"][-1])
                kept["recency"].append(a[i, [j for j in seen if j < first
                                             or j > i - k + first]].sum())
            recent = i + 1 - (k - k // 2)
            before = [(x, at) for x, _, at in group for at in at if at < i]
            total = sum(x[at] for x, at in before)
            count = sum(v[at].astype(int) for _, v, at in group for at in at if at < i)
            for name, votes in ("h2o", total), ("h2o_even", total / np.maximum(count, 1)):
                best = elected([j for j in seen if j < recent], votes, k // 2)
                kept[name].append(a[i, best].sum() + a[i, max(recent, 0):].sum())
            if window < k <= prompt <= i:
                best = elected([j for j in seen if j < prefix], pooled, k - window)
                kept["snapkv"].append(a[i, best].sum() + a[i, prefix:].sum())
                against["snapkv"].append(kept["oracle"][-1])
                own = elected([j for j in seen if j < prefix], a[i, :prefix], k - window)
                agreed["snapkv"].append(len(set(best) & set(own)) / (k - window))
        for name, x in kept.items():
            x = x if looks_back(visible, rows) else []
            out[f"cache_{name}_{k}"] = mean(x)
            out[f"cache_{name}_{k}_p5"] = float(np.quantile(x, .05)) if x else None
            if name != "oracle":
                out[f"cache_{name}_{k}_share"] = sum(x) / sum(against[name]) if x else None
            if name == "snapkv":
                out[f"cache_{name}_{k}_agree"] = mean(agreed[name] if x else [])
    return out


def streaming(a, visible, rows, writes):
    """Of the first keys and the last; writes: v W_O of each key, or None."""
    _, first, last, _, _ = asked()
    j, omitted, moved, whole = np.arange(a.shape[1]), [], 0., 0.
    for i in rows if looks_back(visible, rows) else []:
        if visible[i].sum() <= first + last:
            continue
        kept = (j < first) | (j > i - last)
        omitted.append(1 - a[i, kept].sum())
        if writes is not None:
            z = a[i] @ writes
            moved += ((z - a[i, kept] @ writes[kept] / a[i, kept].sum()) ** 2).sum()
            whole += (z ** 2).sum()
    return {"stream_omitted": mean(omitted),
            "stream_dev": np.sqrt(moved / whole) if whole else None}


def few(heads, maps, writes, config):
    """Of a report's heads what is of few keys, and how long what each writes is."""
    rows = [[i for i in range(len(a)) if shown[i] and a[i].sum() > 0] for a, _, shown in maps]
    H = 1 + max(h["head"] for h in heads)
    each = H // min(H, config.get("num_key_value_heads") or H)
    place = lambda h: (h["layer"], h["head"] // each)
    rms = [None if w is None or not r else np.sqrt(((a[r] @ w) ** 2).sum(1).mean())
           for (a, _, _), r, w in zip(maps, rows, writes)]
    out = []
    for n, h in enumerate(heads):
        a, visible, _ = maps[n]
        layer = [x for x, other in zip(rms, heads) if other["layer"] == h["layer"]]
        out.append({"write_rms": rms[n] / np.mean(layer) if rms[n] else None})
        if h["stack"] != "cross":
            group = [(maps[m][0], maps[m][1], rows[m]) for m, other in enumerate(heads)
                     if place(other) == place(h)]
            out[n].update(caches(a, visible, rows[n], group),
                          **streaming(a, visible, rows[n], writes[n]))
        else:
            out[n].update({k: None for k in h if k.startswith(("cache_", "stream_"))})
    return out


def spectral(config, head):
    """Of W_Q W_K^T, with the norm before folded in; of two families."""
    folder, layer = os.path.dirname(os.environ["CONFIG"]), head["layer"]
    model = weight.tensors(folder)
    get = lambda name: model[name if name in model else name.split(".", 1)[1]].astype(np.float64)
    if config["model_type"] == "gpt2":
        q, k, _ = np.split(get(f"transformer.h.{layer}.attn.c_attn.weight"), 3, 1)
        gain = get(f"transformer.h.{layer}.ln_1.weight")
    else:
        at = f"model.layers.{layer}."
        q, k = (get(at + f"self_attn.{x}_proj.weight").T for x in "qk")
        gain = get(at + "input_layernorm.weight")
    q, k = (x * gain[:, None] for x in (q, k))
    if config["model_type"] == "gpt2":
        q, k = (x - x.mean(0) for x in (q, k))
    H = config.get("num_attention_heads") or config["n_head"]
    d, G = q.shape[1] // H, config.get("num_key_value_heads") or H
    n, g = head["head"], head["head"] // (H // G)
    product = q[:, n * d:(n + 1) * d] @ k[:, g * d:(g + 1) * d].T
    by_layer = layer + 1 if config.get("scale_attn_by_inverse_layer_idx") else 1
    return np.linalg.svd(product, compute_uv=False)[0] / np.sqrt(d) / by_layer


KNOWN = ("stack", "layer", "head", "links", "top", "types")


def main():
    arrays, report = np.load(sys.argv[1]), json.load(open(sys.argv[2]))
    groups = os.environ.get("GROUPS_OF")
    groups = [int(g) for g in groups.split(",")] if groups else None
    hide_k = json.loads(os.environ.get("HIDE_KEYS", "[]"))
    hide_q = json.loads(os.environ.get("HIDE_QUERIES", os.environ.get("HIDE_KEYS", "[]")))
    n_bad, maps, weights = 0, [], []
    gone = set(hide_k) if groups is None else \
        {g for g in groups if all(i in hide_k for i, x in enumerate(groups) if x == g)}
    for head in report["heads"]:
        a = raw_of(arrays, head)[head["head"]]
        maps.append(merged(a, hide_q, hide_k, groups, len(hide_k) > 0))
        weights.append(merged(a, hide_q, hide_k, groups, report.get("renorm", False)))
    others = between([(a, [i for i in range(len(a)) if shown[i] and a[i].sum() > 0])
                      for a, _, shown in maps])
    read = [looked(arrays, head) for head in report["heads"]]
    config = json.load(open(os.environ["CONFIG"]))
    writes = [w if groups is None else None for _, _, w in read]
    for n, want in enumerate(few(report["heads"], maps, writes, config)):
        others[n] = {**others[n], **want}
    for head, (a, visible, shown), as_they_are, other, (of_scores, v, write) in \
            zip(report["heads"], maps, weights, others, read):
        want = metrics(a, visible, shown, gone, head["stack"] != "cross", report.get("ids"),
                       *sides(report, groups))
        want.update(other)
        length = [np.sqrt((x ** 2).sum(1)) for x in (v, write)]
        if config["model_type"] in ("gpt2", "llama"):
            want["spectral"] = spectral(config, head)
        else:
            head.pop("spectral", None)
        rows = [i for i in range(len(a)) if shown[i] and a[i].sum() > 0]
        want.update(of_scores, **drain(length, a, visible, rows, want["sinks"]))
        want.update({name: None for name in NULL})      # of models with a sink that is not a key
        bad = [k for k in want if k in head and differs(want[k], head[k])]
        bad += [k for k in head if k not in want and k not in KNOWN]
        if check_links(*as_they_are, head):
            bad.append("links")
        for name in bad:
            print(head["layer"], head["head"], name, want.get(name), head.get(name))
        n_bad += len(bad)
    for name, want in through(maps, report["heads"]).items():
        if differs(want, report[name]):
            print(name, want, report[name])
            n_bad += 1
    print(f"{len(report['heads'])} heads, {n_bad} numbers differ")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
