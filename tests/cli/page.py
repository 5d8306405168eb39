#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The blocks of a page, against what the program prints of the same text.

    page.py PAGE.html STATS.json EXPORT.npz [TEXT]      text number 0 by default
    page.py --text PAGE.html [TEXT]                     the JSON of a text alone

Weights must be within half a step of the page's precision, and within the error that it states;
statistics must be the same numbers.
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


def main():
    if sys.argv[1] == "--text":
        number = sys.argv[3] if len(sys.argv) > 3 else 0
        sys.stdout.buffer.write(blocks(sys.argv[2])[f"t{number}"] + b"\n")
        return
    number = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    lines = io.open(sys.argv[2], encoding="utf-8").read().split("\n")
    check(sys.argv[1], json.loads(lines[number]), sys.argv[3], number)


if __name__ == "__main__":
    main()
