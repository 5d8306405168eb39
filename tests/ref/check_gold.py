#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `mha-viz types --gold` says of relations, computed again with NumPy of exported attention.

    check_gold.py PROGRAM MODEL FILE.conllu"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy

program, model, path = sys.argv[1:4]
choose = [] if model == "builtin" else ["-m", model]


def run(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


def read():
    """Sentences: text, [(start, end, head, relation)], bytes; the same where there are none."""
    for block in open(path, encoding="utf-8").read().split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        rows = [r for r in rows if "." not in r[0]]
        if not rows:
            continue
        text = next((line[9:] for line in lines if line.startswith("# text = ")), None)
        if text is None:
            text = "".join(r[1] + ("" if "SpaceAfter=No" in r[9] else " ") for r in rows).rstrip()
        words, at, end = [], 0, 0
        for r in rows:
            if int(r[0].split("-")[0]) > end:
                at = text.index(r[1], at)
                if "-" in r[0]:
                    end = int(r[0].split("-")[1])
                    continue
            place = text.index(r[1], at)
            at = place + len(r[1])
            start = len(text[:place].encode())
            words.append((start, start + len(r[1].encode()), int(r[6]) - 1, r[7].split(":")[0],
                          r[3]))
        yield text, words


def attention(text):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "a.npz")
        run("export", "-q", *choose, "-o", file, text)
        with numpy.load(file) as arrays:
            n = sum(k.startswith("attn.") for k in arrays)
            return numpy.stack([arrays[f"attn.{l}"] for l in range(n)]).astype(float)


def merged(a, text, words):
    """Words in place of tokens: columns are sums, rows means; and which words have a token."""
    t = json.loads(run("tokens", "--json", *choose, text))
    data = text.encode()
    of = numpy.full(len(t["ids"]), -1)
    for i, (start, end) in enumerate(t["bytes"]):
        while start < end and data[start:start + 1] == b" ":
            start += 1
        for k, w in enumerate(words):
            if not t["special"][i] and start < end and w[0] <= start < w[1]:
                of[i] = k
    m = (of[:, None] == numpy.arange(len(words))).astype(float)
    mean = m / numpy.maximum(m.sum(0), 1)
    mass = (a * (of >= 0)[:, None] * (numpy.arange(len(of)) > 0)).sum(-2) @ m
    a = mean.T @ a @ m
    a[..., range(len(words)), range(len(words))] = 0
    return a, m.any(0), mass


def mentions():
    """Of a file of one document: chain, first and last word, head word, as they begin."""
    found, stack, word = [], [], 0
    for block in open(path, encoding="utf-8").read().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
        rows = [r for r in rows if "." not in r[0] and "-" not in r[0]]
        first = word
        for r in rows:
            entity = dict(x.split("=", 1) for x in r[9].split("|") if "=" in x).get("Entity", "")
            for opens, chain, closes in re.findall(r"([(]?)([^-()]+)[^()]*([)]?)", entity):
                if opens:
                    stack.append((chain, word, first, rows))
                if closes:
                    at = max(i for i, m in enumerate(stack) if m[0] == chain)
                    found.append((*stack.pop(at), word))
            word += 1
    result = []
    for chain, start, first, rows, end in found:
        for k in range(start, end + 1):
            head = int(rows[k - first][6]) - 1 + first
            if head < start or head > end or rows[k - first][6] == "0":
                break
        result.append((start, -end, chain, k))
    return sorted(result)


def coreference(got, sentences):
    """Checks the shares of every head, of a document that is one piece."""
    found = mentions()
    if not found:
        assert got["mentions"] == 0
        return
    text, words = "", []
    for t, w in sentences:
        at = len(text.encode()) + bool(text)
        text += " " * bool(text) + t
        words += [(x[0] + at, x[1] + at, *x[2:]) for x in w]
    assert len(words) <= 128
    a, _, _ = merged(attention(text), text, words)
    few = numpy.zeros(len(words))
    few[[m[3] for m in found]] = 1
    n, hits = 0, 0
    for i, (_, _, chain, head) in enumerate(found):
        before = {m[3] for m in found[:i] if m[2] == chain and m[3] != head}
        if before:
            n += 1
            best = numpy.stack([(a[..., head, :] * few).argmax(-1), a[..., head, :].argmax(-1)])
            hits = hits + numpy.isin(best, list(before))
    assert (got["mentions"], got["coreferent"]) == (len(found), n)
    for h in got["heads"]:
        for i, name in enumerate(("coreference", "coreference_any_word")):
            assert abs(h[name] - hits[i, h["layer"], h["head"]] / n) < 1e-12, (h, name)


def wilson(k, n):
    z = 1.959963984540054
    p = k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def main():
    got = json.loads(run("types", "--json", "--no-probe", *choose, "--gold", path))
    arcs, tags = {}, {}
    for number, (text, words) in enumerate(read()):
        a, scored, mass = merged(attention(text), text, words)
        for k, w in enumerate(words):
            tags.setdefault(w[4], [0, 0])
            tags[w[4]][0] += scored[k]
            tags[w[4]][1] = tags[w[4]][1] + mass[..., k]
        down, across = a.argmax(-1), a.argmax(-2)
        for i, (_, _, head, relation, _) in enumerate(words):
            offsets = [min(max(i + 1 + o, 0), len(words)) == head + 1 for o in range(-3, 3)]
            hits = None
            if head >= 0 and scored[i] and scored[head]:
                later = down[..., i] == head if i > head else down[..., head] == i
                hits = numpy.stack([down[..., i] == head, across[..., i] == head, later])
            for name in [relation] + ["all"] * (head >= 0):
                arcs.setdefault(name, []).append((number % 2, offsets, hits))
    causal = got["family"] != "bert"
    for r in got["relations"]:
        of = arcs.pop(r["relation"])
        assert r["arcs"] == len(of)
        offsets = numpy.sum([o for _, o, _ in of], 0)
        assert r["offset"] == offsets.argmax() - 3
        assert abs(r["baseline"] - offsets.max() / len(of)) < 1e-12
        of = [x for x in of if x[2] is not None]
        assert r["arcs_scored"] == len(of)
        if not of:
            assert r["accuracy"] is None and r["layer"] is None
            continue
        hits = numpy.sum([h for _, _, h in of], 0) / len(of)
        for layer, head, *ways in r["heads"]:
            assert numpy.allclose(ways, hits[:, layer, head], atol=1e-12), (r["relation"], layer)
        even = [x for x in of if x[0] == 0]
        odd = [x for x in of if x[0] == 1]
        if not even:
            assert r["chosen"] is None
            continue
        chosen = numpy.sum([h for _, _, h in even], 0)
        ways = chosen[2:] if causal else chosen[:2]
        best = ways.max(0)
        layer, head = numpy.unravel_index(best.argmax(), best.shape)
        way = 2 if causal else int(ways[:, layer, head].argmax())
        assert (r["layer"], r["head"], r["way"]) == (layer, head,
                                                     ("to_head", "from_head", "later")[way])
        assert abs(r["chosen"] - chosen[way, layer, head] / len(even)) < 1e-12
        assert r["held_arcs"] == len(odd)
        if odd:
            k = sum(h[way, layer, head] for _, _, h in odd)
            offset = numpy.sum([o for _, o, _ in even], 0).argmax()
            by_offset = sum(o[offset] for _, o, _ in odd) / len(odd)
            want = [k / len(odd), *wilson(k, len(odd)), by_offset]
            assert numpy.allclose([r[x] for x in ("accuracy", "low", "high", "held_baseline")],
                                  want, atol=1e-12), (r, want)
    assert not arcs
    n, mass = (sum(t[i] for t in tags.values()) for i in (0, 1))
    for t in got["tags"]:
        words, by_head = tags.pop(t["tag"])
        assert abs(t["words"] - words / n) < 1e-12
        for layer, head, share in t["heads"]:
            assert abs(share - (by_head / mass)[layer, head]) < 1e-6, (t["tag"], layer, head)
    assert not tags
    if "newdoc" in open(path).read():
        coreference(got, list(read()))
    print(len(got["relations"]))


main()
