#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `mha-viz types` says of a model and texts, computed again of exported attention with
NumPy: every score, and every label of the default taxonomy.

    check_types.py PROGRAM MODEL TEXTS.jsonl [LEAD]

LEAD: ids that a probe's texts begin with, with commas between.  Ordinary ids: all of the
vocabulary but those of LEAD and the ids that the config names."""
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

program, model, corpus = sys.argv[1:4]
lead = [int(i) for i in sys.argv[4].split(",")] if len(sys.argv) > 4 else []
config = json.loads((pathlib.Path(model) / "config.json").read_text())
causal = "n_layer" in config

# Scores of labels that shown.py and unit tests compute again.
OFFSETS = [*range(-8, -1), *range(2, 9)]
TAKEN = ("rare2", "write_rms", "stream_dev")
TOKENS, PLACES = 127, 8         # what rests.h tells apart


def attention(ids):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npz")
        subprocess.run([program, "export", "-q", "-m", model, "--ids", ",".join(map(str, ids)),
                        "-o", path], check=True)
        with numpy.load(path) as arrays:
            layers = sorted((k for k in arrays if k.startswith("attn.")),
                            key=lambda k: int(k[5:]))
            return numpy.stack([arrays[k] for k in layers]).astype(float)


def draw(rng, ordinary, n):
    bag = list(ordinary)
    for k in range(n):
        other = k + (int(rng._bit_generator.random_raw()) * (len(bag) - k) >> 32)
        bag[k], bag[other] = bag[other], bag[k]
    return bag[:n]


def probes():
    special = set(lead) | {config.get(k) for k in ("bos_token_id", "eos_token_id",
                                                   "pad_token_id")}
    ordinary = [i for i in range(config["vocab_size"]) if i not in special]
    n = min(50, (config["n_positions"] - len(lead)) // 2, len(ordinary))
    rng = numpy.random.RandomState(1)
    found = []
    for _ in range(10):
        ids = draw(rng, ordinary, n)
        a = attention(lead + ids + ids)[:, :, len(lead):, len(lead):]
        i = numpy.arange(n, 2 * n)
        j = numpy.arange(1, 2 * n)
        found.append({"induction": a[:, :, i, i - n + 1].mean(-1),
                      "duplicate": a[:, :, i, i - n].mean(-1),
                      "previous": a[:, :, j, j - 1].mean(-1)})
    return {k: numpy.mean([f[k] for f in found], 0) for k in found[0]}


def scores(a):
    """Of one text: name -> [layers, heads]; NaN where it is undefined."""
    n = a.shape[-1]
    i, j = numpy.indices((n, n))
    sees = (j <= i) if causal else numpy.ones((n, n), bool)
    count = sees.sum(1)
    top = a.argmax(-1)
    row = numpy.arange(n)
    near = abs(i - j) <= 4
    nan = numpy.full(a.shape[:2], math.nan)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        log = numpy.where(a > 0, numpy.log(a), 0)
    entropy = -(a * log).sum(-1)
    alpha = a.sum(-2) / sees.sum(0)
    counts = sees.sum(0) >= (16 if causal else 0)
    counts |= sees.sum(0) == n
    counts[0] = False
    smooth = 0.9999 * a + 0.0001 / count[:, None] * sees
    with numpy.errstate(divide="ignore", invalid="ignore"):
        smooth = -(smooth * numpy.where(sees, numpy.log(smooth), 0)).sum(-1)
    other = numpy.where(counts, alpha, -1)
    column = numpy.sort(a.mean(-2), -1)

    def mean(x, rows):
        return x[..., rows].mean(-1) if rows.any() else nan

    def diagonal(offset):
        at = row[(row + offset >= 0) & (row + offset < n)]
        return a[:, :, at, at + offset]

    result = {
        "prev": diagonal(-1).mean(-1) if n > 1 else nan,
        "next": diagonal(1).mean(-1) if n > 1 else nan,
        "self": diagonal(0).mean(-1),
        "argmax_prev": mean(top == row - 1, row > 0),
        "argmax_next": mean(top == row + 1, row < n - 1),
        "argmax_self": (top == row).mean(-1),
        "bos": mean(a[..., 0], row > 0), "first": a[..., 0].mean(-1), "alpha_0": alpha[..., 0],
        "sink_share": (alpha[..., 0] > 0.3).astype(float),
        "sink_other": alpha[..., counts].max(-1) if counts.any() else nan,
        "local_4": (a * near).sum(-1).mean(-1),
        "local_even": numpy.full(nan.shape, ((near & sees).sum(1) / count).mean()),
        "entropy_norm": mean(entropy / numpy.log(numpy.maximum(count, 2)), count > 1),
        "entropy_clark": smooth.mean(-1),
        "prev_clark": diagonal(-1).sum(-1) / n, "next_clark": diagonal(1).sum(-1) / n,
        "pattern_vertical": column[..., -2:].sum(-1) if n > 1 else column[..., -1],
        "near": (a * near).sum(-1).mean(-1) if n > 32 else nan,
        "far": (a * (abs(i - j) > 16)).sum(-1).mean(-1) if n > 32 else nan,
        "key_even": numpy.full(nan.shape, (1 / count).mean()),
    }
    result["sink_long"] = result["sink_other"] if n > 32 else nan
    result["sink_key"] = other.argmax(-1) if n > 32 and counts.any() else nan
    for k in OFFSETS:
        result[f"offset_{k}"] = diagonal(k).mean(-1) if n > 2 * abs(k) else nan
    result["pattern_diagonal"] = sum(result[k] if n > 1 else 0 for k in ("prev", "next"))
    result["pattern_diagonal"] = result["pattern_diagonal"] + result["self"]
    return result


def same_share(ids, keys):
    """Of the texts' ids, and the key of each: how often the commonest token or place comes."""
    seen = collections.Counter()
    n = 0
    for text, key in zip(ids, keys):
        if math.isnan(key):
            continue
        n += 1
        key = int(key)
        seen[text[key] % TOKENS] += 1
        seen["start", key] += key < PLACES
        seen["end", len(text) - 1 - key] += len(text) - 1 - key < PLACES
    return max(seen.values()) / n if n else math.nan


def labels(s, p, rows, texts, long):
    """Of one head."""
    found = []
    if p:
        found += ["induction"] * bool(p["induction"] >= 0.4)
        found += ["duplicate-token"] * bool(p["duplicate"] >= 0.4)
        found += ["previous"] * bool(p["previous"] >= 0.5)
    found += ["undetermined"] * bool(rows < 200 or texts < 10)
    offset = []
    for name, key in (("previous", "prev"), ("next", "next"), ("self", "self")):
        strong = s["argmax_" + key] >= 0.9 and s[key] >= 2 * s["key_even"]
        if (s[key] >= 0.5 or strong) and not (causal and name == "next"):
            offset.append(name)
    best = max((k for k in OFFSETS if not math.isnan(s[f"offset_{k}"])),
               key=lambda k: s[f"offset_{k}"], default=None)
    if best is not None and s[f"offset_{best}"] >= 0.5:
        offset.append(f"offset {best:+}")
    found += [x for x in offset if x not in found]
    sink = max(s["alpha_0"], 0 if math.isnan(s["sink_other"]) else s["sink_other"])
    found += ["dormant"] * bool(sink > 0.6 and s["write_rms"] < 0.1)
    found += ["sink-first"] * bool(s["bos"] > 0.6)
    found += ["rare-token"] * bool(s["rare2"] >= 0.5 and
                                   s["rare2"] >= (1 + min(2 * s["key_even"], 1)) / 2 and
                                   not s["entropy_norm"] >= 0.78)
    found += ["sink-elsewhere"] * bool(long >= min(10, texts) and s["sink_long"] > 0.3 and
                                       s["alpha_0"] < s["sink_long"] and
                                       s["sink_same"] >= 0.5)
    found += ["weak"] * bool(s["alpha_0"] > 0.3)
    even = s["local_even"]
    found += ["local"] * (s["local_4"] >= 0.7 and even < 1 and not offset and
                          "previous" not in found and s["local_4"] - even >= 0.5 * (1 - even))
    found += ["streaming"] * bool(s["stream_dev"] < 0.1)
    found += ["broad"] * bool(s["entropy_norm"] >= 0.78)
    if not set(found) - {"weak", "undetermined", "streaming"}:
        found.append("heterogeneous")
    return found


def compare(name, got, want):
    if math.isnan(want):
        assert got is None, (name, got)
    else:
        assert abs(got - want) < 2e-6, (name, got, want)


def main():
    texts = [json.loads(line)["ids"] for line in open(corpus)]
    all_scores = [scores(attention(ids)) for ids in texts]
    probed = probes() if causal else None
    probe = ["--probe", "induction,duplicate,previous"] if causal else ["--no-probe"]
    got = json.loads(subprocess.run([program, "types", "--json", "-m", model, "--jsonl", "-f",
                                     corpus, *probe], check=True, capture_output=True).stdout)
    seen = set()
    for head in got["heads"]:
        at = head["layer"], head["head"]
        want = {}
        want["sink_same"] = same_share(texts, [x["sink_key"][at] for x in all_scores])
        compare((at, "sink_same"), head["sink_same"], want["sink_same"])
        for name in set(all_scores[0]) - {"sink_key"}:
            values = [x[name][at] for x in all_scores if not math.isnan(x[name][at])]
            want[name] = float(numpy.mean(values)) if values else math.nan
            compare((at, name), head["scores"][name], want[name])
        for name in TAKEN:
            value = head["scores"][name]
            want[name] = math.nan if value is None else value
        for name in probed or []:
            compare((at, name), head["probe"][name], float(probed[name][at]))
        rows = sum(map(len, texts))
        assert (head["n_rows"], head["n_texts"]) == (rows, len(texts))
        found = labels(want, probed and {k: v[at] for k, v in probed.items()}, rows, len(texts),
                       sum(len(ids) > 32 for ids in texts))
        assert head["types"] == found, (at, head["types"], found)
        seen |= set(found)
    print(len(got["heads"]), " ".join(sorted(seen)))


main()
