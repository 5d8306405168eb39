#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes diff/: what the reference library's attention gives for `diff` and `--dtype`.

    python3 tests/ref/make_diff.py

needs what make.py needs.  cases.json holds command lines of `mha-viz diff --json`, the lines
of the file that LINES stands for in them, and the numbers that they are to print.  dtype.json holds command lines of `mha-viz export`, with
NAME.npz beside it, of models whose inputs of every product (linears, q k, a v) are rounded to
16 bits while sums stay in 32.
"""
import json
import math
import pathlib

import numpy as np
import torch
import transformers as T
from transformers.models.bert import modeling_bert
from transformers.models.gpt2 import modeling_gpt2
from transformers.models.llama import modeling_llama
from transformers.pytorch_utils import Conv1D

from summary import quantile_of_t

HERE = pathlib.Path(__file__).parent
OUT = HERE / "diff"
FIRST, SECOND = [2, 17, 40, 9, 33, 5, 3], [2, 17, 8, 9, 33, 6, 3]
KINDS = {"bert": T.BertModel, "gpt2": T.GPT2Model, "llama": T.LlamaModel}
F32, BF16, F16 = torch.float32, torch.bfloat16, torch.float16
PLAIN = {"linear": torch.nn.functional.linear, "conv": Conv1D.forward}


def rounding(dtype):
    """Makes every product of the library round its inputs; F32 puts it back."""
    def to(x):
        return x.to(dtype).float()

    def linear(x, w, b=None):
        y = to(x) @ to(w).T
        return y if b is None else y + b

    def conv(self, x):
        return to(x) @ to(self.weight) + self.bias

    def attention(module, query, key, value, attention_mask, scaling=None, **_):
        groups = query.shape[1] // key.shape[1]
        key, value = (x.repeat_interleave(groups, 1) for x in (key, value))
        scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
        # gpt2's own function divides by the number of the layer as well
        if getattr(module, "scale_attn_by_inverse_layer_idx", False):
            scaling = module.head_dim ** -0.5 / (module.layer_idx + 1)
        scores = to(query) @ to(key).transpose(2, 3) * scaling
        if attention_mask is not None:
            scores = scores + attention_mask
        a = scores.softmax(-1)
        return (to(a) @ to(value)).transpose(1, 2).contiguous(), a

    torch.nn.functional.linear = PLAIN["linear"] if dtype == F32 else linear
    Conv1D.forward = PLAIN["conv"] if dtype == F32 else conv
    for m in (modeling_bert, modeling_gpt2, modeling_llama):
        m.eager_attention_forward = PLAIN[m] if dtype == F32 else attention


for module in (modeling_bert, modeling_gpt2, modeling_llama):
    PLAIN[module] = module.eager_attention_forward


def attentions(name, ids, dtype=F32, causal=False):
    model = KINDS[name].from_pretrained(HERE / name, attn_implementation="eager", dtype=F32).eval()
    rounding(dtype)
    with torch.no_grad():
        mask = torch.full((1, 1, len(ids), len(ids)), -torch.inf).triu(1) if causal else None
        out = model(input_ids=torch.tensor([ids]), output_attentions=True, attention_mask=mask)
    rounding(F32)
    return [a[0] for a in out.attentions], out.last_hidden_state[0]


def entropy(a):
    return -torch.special.xlogy(a, a).sum(-1).mean()


def heads(first, second, queries, keys, at=None):
    """queries, keys: of the second's the first's, or -1.  A row over the keys of both.
    at: the only rows that count, of each."""
    found = []
    for l, (a, b) in enumerate(zip(first, second)):
        for h in range(a.shape[0]):
            p, q = a[h].double(), b[h].double()
            n = p.shape[1]
            js, links, largest = [], [], 0.0
            for i, k in enumerate(queries):
                if k < 0:
                    continue
                x = torch.cat([p[k], torch.zeros(q.shape[1])])
                y = torch.zeros(n + q.shape[1], dtype=torch.float64)
                for j, of in enumerate(keys):
                    y[of if of >= 0 else n + j] = q[i, j]
                m = (x + y) / 2
                js.append(float((torch.special.xlogy(x, x / m).nan_to_num() +
                                 torch.special.xlogy(y, y / m).nan_to_num()).sum() / 2))
                links.append(float(x.argmax() == y.argmax()))
                largest = max(largest, float((x - y).abs().max()))
            found.append({"layer": l, "head": h, "js": sum(js) / len(js),
                          "entropy_first": float(entropy(p if at is None else p[at[0]])),
                          "entropy_second": float(entropy(q if at is None else q[at[1]])),
                          "links_kept": sum(links) / len(links), "largest": largest})
            if at is not None:
                found[-1] |= {"key_first": int(p[at[0]].argmax()),
                              "key_second": int(q[at[1]].argmax())}
    return found


M64 = (1 << 64) - 1


def mix(x):
    """One step of splitmix64."""
    x = (x + 0x9e3779b97f4a7c15) & M64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 & M64
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb & M64
    return x ^ (x >> 31)


def weights(n_texts):
    """[1000, texts] of a Poisson distribution of mean 1, from numbers of text and replicate."""
    cdf = np.cumsum([np.exp(-1) / math.factorial(k) for k in range(19)])
    bits = [[mix(mix(mix(1) ^ b) ^ t) for t in range(n_texts)] for b in range(1000)]
    return np.searchsorted(cdf, np.array([[(h >> 11) * 2.0 ** -53 for h in r] for r in bits]),
                           side="right")


def estimate(values, w):
    x = np.array(values)
    means = (w @ x)[w.sum(1) > 0] / w.sum(1)[w.sum(1) > 0]
    low, high = np.quantile(means, [0.025, 0.975])
    mean, sd = float(x.mean()), float(x.std(ddof=1))
    half = quantile_of_t(len(x) - 1) * sd / math.sqrt(len(x))
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half,
            "boot_low": float(low), "boot_high": float(high), "n": len(x)}


def summary(texts):
    """heads() of each text -> the mean of each number of each head."""
    w = weights(len(texts))
    found = []
    for same in zip(*texts):
        one = {"layer": same[0]["layer"], "head": same[0]["head"]}
        for head in same:
            head["entropy_change"] = head["entropy_second"] - head["entropy_first"]
        for name in ("js", "entropy_first", "entropy_second", "entropy_change", "links_kept",
                     "largest"):
            one[name] = estimate([head[name] for head in same], w)
        found.append(one)
    return found


def pieces(name, ids):
    vocab = json.loads((HERE / name / "tokenizer.json").read_text())["model"]["vocab"]
    piece = {i: p for p, i in vocab.items()}
    return " ".join(piece[i] for i in ids)


def ids_of(ids):
    return ["--ids", ",".join(map(str, ids))]


def main():
    OUT.mkdir(exist_ok=True)
    cases, dtypes = [], []
    for name in KINDS:
        for word, dtype in (("bf16", BF16), ("f16", F16)):
            attn, hidden = attentions(name, FIRST, dtype)
            case = f"{name}_{word}"
            dtypes.append({"name": case, "argv": ["-m", f"tests/ref/{name}", "--hidden",
                                                  *ids_of(FIRST), "--dtype", word]})
            with open(OUT / f"{case}.npz", "wb") as f:
                np.savez(f, hidden=hidden, **{f"attn.{i}": a for i, a in enumerate(attn)})
            same = list(range(len(FIRST)))
            cases.append({
                "argv": ["-m", f"tests/ref/{name}", "--dtype", "f32", "--dtype", word,
                         *ids_of(FIRST)],
                "want": {"heads": heads(attentions(name, FIRST)[0], attn, same, same)}})
    # Two texts: as many tokens, and not.
    first = attentions("bert", FIRST)[0]
    for second, pairs in ((SECOND, list(range(len(SECOND)))),
                          (FIRST[:2] + [21] + FIRST[2:5] + FIRST[6:] + [22, 23],
                           [0, 1, -1, 2, 3, 4, 6, -1, -1])):
        cases.append({"argv": ["-m", "tests/ref/bert", "--pretokenized", "--no-special",
                               pieces("bert", FIRST), pieces("bert", second)], "want": {
            "tokens_paired": sum(k >= 0 for k in pairs),
            "heads": heads(first, attentions("bert", second)[0], pairs, pairs)}})
    # One token of each: the keys before it and after it are paired by themselves.
    other = [2, 8, 21, 17, 40, 33, 5, 9, 3]
    cases.append({"argv": ["-m", "tests/ref/bert", "--from", "2", "--ids", ids_of(FIRST)[1],
                           "--ids", ids_of(FIRST[:2] + [22] + FIRST[2:])[1]],
                  "want": {"first": {"at": 2}, "heads": heads(
                      first, attentions("bert", FIRST[:2] + [22] + FIRST[2:])[0],
                      [-1, -1, 2] + [-1] * 5, [0, 1, 2, -1, 3, 4, 5, 6], (2, 2))}})
    cases.append({"argv": ["-m", "tests/ref/bert", "--pretokenized", "--no-special", "--from",
                           pieces("bert", [9]), pieces("bert", FIRST), pieces("bert", other)],
                  "want": {"first": {"at": 3}, "second": {"at": 7}, "heads": heads(
                      first, attentions("bert", other)[0], [-1] * 7 + [3, -1],
                      [0, -1, -1, 1, 2, -1, -1, 3, 6], (3, 7))}})
    # At one position: the keys before it by position; those after it are not seen (gpt2), or
    # are as many on both sides (bert).
    for name, second in (("gpt2", SECOND[:3] + FIRST[3:] + [22, 23]), ("gpt2", SECOND[:4]),
                         ("bert", SECOND)):
        keys = [k if k < len(FIRST) else -1 for k in range(len(second))]
        cases.append({"argv": ["-m", f"tests/ref/{name}", "--from", "3", "--ids",
                               ids_of(FIRST)[1], "--ids", ids_of(second)[1]],
                      "want": {"first": {"at": 3}, "second": {"at": 3}, "heads": heads(
                          attentions(name, FIRST)[0], attentions(name, second)[0],
                          [k if k == 3 else -1 for k in keys], keys, (3, 3))}})
    cases.append({"argv": ["-m", "tests/ref/bert", "--mask", "causal", "--mask", "none",
                           *ids_of(FIRST)],
                  "want": {"first": {"mask": "causal"}, "heads": heads(
                      attentions("bert", FIRST, causal=True)[0], first, same, same)}})
    # Over a corpus: one text in two precisions, pairs of texts.
    corpus = [FIRST, SECOND, [2, 30, 3], [2, 8, 17, 5, 40, 33, 12, 3]]
    lines = [json.dumps({"ids": ids}) for ids in corpus]
    cases.append({"argv": ["-m", "tests/ref/bert", "--dtype", "f32", "--dtype", "bf16",
                           "--jsonl", "--summary", "--bootstrap", "-f", "LINES"], "lines": lines,
                  "want": {"n_texts": 4, "heads": summary(
                      [heads(attentions("bert", x)[0], attentions("bert", x, BF16)[0],
                             range(len(x)), range(len(x))) for x in corpus])}})
    pairs = [(FIRST, SECOND), (SECOND, FIRST[::-1]), ([2, 30, 31, 3], [2, 31, 30, 3])]
    cases.append({"argv": ["-m", "tests/ref/bert", "--pretokenized", "--no-special", "--pairs",
                           "--summary", "--bootstrap", "-f", "LINES"],
                  "lines": ["\t".join(pieces("bert", x) for x in pair) for pair in pairs],
                  "want": {"n_texts": 3, "heads": summary(
                      [heads(attentions("bert", x)[0], attentions("bert", y)[0],
                             range(len(x)), range(len(x))) for x, y in pairs])}})
    (OUT / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")
    (OUT / "dtype.json").write_text(json.dumps(dtypes, indent=1) + "\n")


if __name__ == "__main__":
    main()
