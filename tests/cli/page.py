#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The blocks of a page, against what the program prints of the same text.

    page.py PAGE.html STATS.json EXPORT.npz [TEXT]      text number 0 by default
    page.py --neuron PAGE.html NEURON.json              one query, as mha-viz neuron has it
    page.py --text PAGE.html [TEXT]                     the JSON of a text alone

Weights must be within half a step of the page's precision, and within the error that it states;
statistics must be the same numbers.  A query and its keys must be within half a step of 16 bits,
and what scores get beside products the same.
"""
import array
import base64
import io
import json
import math
import re
import sys
import zipfile
import zlib


def blocks(path):
    page = open(path, encoding="utf-8").read()
    found = re.findall(r'<script type="text/plain" id="([^"]*)">([A-Za-z0-9+/=]*)</script>', page)
    return {name: zlib.decompress(base64.b64decode(text), -15) for name, text in found}


def read_npy(data):
    """A float32 array of an export: its shape, and its numbers."""
    size = int.from_bytes(data[8:10], "little")
    header = data[10:10 + size].decode()
    assert "'<f4'" in header, header
    shape = tuple(int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip())
    numbers = array.array("f")
    numbers.frombytes(data[10 + size:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return shape, numbers


def numbers(kind, data):
    out = array.array(kind)
    out.frombytes(data)
    if sys.byteorder == "big":
        out.byteswap()
    return out


def check_layer(text, data, triangle, shape, want):
    n_heads, T, S = shape
    bits, n = text["bits"], shape[0] * shape[1]
    most = 2 ** bits - 1
    top, code = numbers("f", data[:4 * n]), numbers("B" if bits == 8 else "H", data[4 * n:])
    assert len(code) == (n_heads * T * (T + 1) // 2 if triangle else n * S), len(code)
    at = 0
    for row in range(n):
        m = max(want[row * S:row * S + S])
        assert top[row] == m, (row, top[row], m)
        for key in range(S):
            a = want[row * S + key]
            if triangle and key > row % T:
                assert a == 0
                continue
            share, at = code[at] / most, at + 1
            assert abs(share - math.sqrt(a / m)) <= 0.501 / most, (row, key, share, a)
            assert abs(m * share * share - a) <= text["error"] + 1e-7, (row, key, a)


def check(page, stats, npz, number):
    got = blocks(page)
    text, heads = json.loads(got[f"t{number}"]), stats["heads"]
    assert [[h["layer"], h["head"]] for h in heads] == text["heads"]
    for metric in text["metrics"]:
        assert metric["value"] == [h[metric["name"]] for h in heads], metric["name"]
    assert len(text["queries"]["labels"]) == len(stats["tokens"])
    arrays = zipfile.ZipFile(npz)
    for b, block in enumerate(text["blocks"]):
        prefix = {"cross": "cross"}.get(text["stack"], "attn")
        shape, want = read_npy(arrays.read(f"{prefix}.{block['layer']}.npy"))
        check_layer(text, got[f"w{number}-{b}"], block["triangle"], shape, want)


def visible(text, bits, block, at, query):
    """The keys that a query sees, by the bits that stand behind the weights."""
    T, S = sides(text)
    if not text["blocks"][block]["seen"]:
        return list(range(query + 1 if text["blocks"][block]["triangle"] else S))
    row = (at * T if text["blocks"][block]["seen"] > 1 else 0) + query
    size = (S + 7) // 8
    line = bits[row * size:(row + 1) * size]
    return [s for s in range(S) if line[s // 8] >> s % 8 & 1]


def sides(text):
    return len(text["queries"]["labels"]), len(text.get("keys", text["queries"])["labels"])


def seen_bytes(text, data, block, n_heads):
    """What stands behind the codes of a block of weights."""
    T, S = sides(text)
    codes = T * (T + 1) // 2 if text["blocks"][block]["triangle"] else T * S
    return data[4 * n_heads * T + n_heads * codes * text["bits"] // 8:]


def near(got, want, room, what):
    for c, (x, y) in enumerate(zip(got, want, strict=True)):
        assert abs(x - y) <= room, (what, c, x, y)


def read_vectors(text, data, block, H):
    """Functions of a row: the query, the key; and the parts of scores."""
    (T, S), d, of = sides(text), text["width"], text["blocks"][block]["vectors"]
    counts = [H * T, (max(of["group"]) + 1) * S, len(of["parts"]) * H * T * S]
    floats = numbers("f", data[:4 * sum(counts)])
    codes = numbers("h", data[4 * sum(counts):])
    assert len(codes) == (counts[0] + counts[1]) * d, len(codes)
    qmax, kmax = floats[:counts[0]], floats[counts[0]:counts[0] + counts[1]]

    def vector(top, first, row):
        start = first + row * d
        return [top[row] * c / 32767 for c in codes[start:start + d]]
    return (lambda row: vector(qmax, 0, row), lambda row: vector(kmax, counts[0] * d, row),
            floats[counts[0] + counts[1]:])


def check_neuron(page, path):
    got, want = blocks(page), json.load(open(path, encoding="utf-8"))
    text = json.loads(got["t0"])
    layers = [b["layer"] for b in text["blocks"]]
    block = layers.index(want["layer"])
    of = [h for layer, h in text["heads"] if layer == want["layer"]]
    at, (T, S), query = of.index(want["head"]), sides(text), want["at"]
    look = text["blocks"][block]["vectors"]
    q, k, parts = read_vectors(text, got[f"v0-{block}"], block, len(of))
    near(q(at * T + query), want["q"], text["vectors_error"] + 1e-7, "q")
    seen = visible(text, seen_bytes(text, got[f"w0-{block}"], block, len(of)), block, at, query)
    assert seen == [key["key"] for key in want["keys"]], (seen, want["keys"])
    assert math.isclose(look["scale"][at], want["scale"], rel_tol=1e-6)
    assert math.isclose(look["cap"][at], want.get("cap", 0), rel_tol=1e-6)
    for key in want["keys"]:
        near(k(look["group"][at] * S + key["key"]), key["k"], text["vectors_error"] + 1e-7, "k")
        for p, name in enumerate(look["parts"]):
            part = parts[((p * len(of) + at) * T + query) * S + key["key"]]
            assert part == array.array("f", [key[name]])[0], (name, key["key"], part, key[name])
    assert set(look["parts"]) == set(want["keys"][0]) & {
        "position", "query_position", "key_position", "segment", "copies", "mask"}


def main():
    if sys.argv[1] == "--text":
        number = sys.argv[3] if len(sys.argv) > 3 else 0
        sys.stdout.buffer.write(blocks(sys.argv[2])[f"t{number}"] + b"\n")
        return
    if sys.argv[1] == "--neuron":
        check_neuron(sys.argv[2], sys.argv[3])
        return
    number = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    lines = io.open(sys.argv[2], encoding="utf-8").read().split("\n")
    check(sys.argv[1], json.loads(lines[number]), sys.argv[3], number)


if __name__ == "__main__":
    main()
