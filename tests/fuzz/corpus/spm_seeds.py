#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz targets sentencepiece and charsmap beside this file,
and those of tokenizer that are of SentencePiece's kind."""
import base64
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent


def varint(x):
    out = b""
    while x >= 0x80:
        out += bytes([x & 0x7F | 0x80])
        x >>= 7
    return out + bytes([x])


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def piece(text, score, kind=1):
    return field(1, field(1, text.encode()) + field(2, float(score)) + field(3, kind))


def charsmap():
    """A -> x, AB -> nothing, full-width A -> A by three bytes."""
    unit = [0] * 0x400
    texts = b"x\0\0A\0"

    def put(node, key, value):
        for i, byte in enumerate(key):
            at = node ^ byte
            base = unit[at] >> 10 ^ at if unit[at] else put.free
            put.free += 0 if unit[at] else 0x80
            leaf = unit[at] & 1 << 8 | (1 << 8 if i == len(key) - 1 else 0)
            unit[at] = byte | leaf | (at ^ base) << 10
            node = base
        unit[node] = 1 << 31 | value
    put.free = 0x100
    put(0, b"A", 0)
    put(0, b"AB", 1)
    put(0, "Ａ".encode(), 3)
    trie = struct.pack("<%dI" % len(unit), *unit)
    return struct.pack("<I", len(trie)) + trie + texts


PIECES = (piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3) +
          piece("▁", -2) + piece("a", -3) + piece("t", -3) + piece("at", -2.5) +
          piece("▁c", -3) + piece("c", -4) + piece("▁cat", -5) + piece("USER", 0, 4) +
          piece("<0x41>", 0, 6) + piece("zz", -1, 5))


def model(kind, fallback, suffix=0, **normal):
    keys = {"charsmap": 2, "prefix": 3, "trim": 4, "escape": 5}
    return (PIECES + field(2, field(3, kind) + (field(24, 1) if suffix else b"") +
                              field(35, fallback)) +
            field(3, b"".join(field(keys[k], v) for k, v in normal.items())))


MARKS = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first",
         "split": False}
UNIGRAM = {
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Precompiled",
         "precompiled_charsmap": base64.b64encode(charsmap()).decode()},
        {"type": "Nmt"}, {"type": "Strip"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, dict(MARKS, prepend_scheme="always")]},
    "decoder": {"type": "Metaspace", "replacement": "▁"},
    "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": [
        ["<unk>", 0], ["▁", -2.5], ["a", -3], ["▁a", -3.5], ["T", -4], ["<0xC3>", 0]]}}
BYTES = {
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "pre_tokenizer": MARKS,
    "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True,
              "byte_fallback": True, "merges": [["▁", "a"]],
              "vocab": {"<unk>": 0, "▁": 1, "a": 2, "▁a": 3, "<0xC3>": 4, "<0xAF>": 5}}}


def write(folder, name, data):
    (HERE / folder).mkdir(exist_ok=True)
    (HERE / folder / name).write_bytes(data)


def main():
    write("tokenizer", "unigram.json", json.dumps(UNIGRAM, ensure_ascii=False).encode())
    write("tokenizer", "bytes.json", json.dumps(BYTES, ensure_ascii=False).encode())
    write("sentencepiece", "unigram", model(1, 0, charsmap=charsmap()))
    write("sentencepiece", "bpe", model(2, 1, prefix=0, trim=0))
    write("sentencepiece", "word", model(3, 0, charsmap=charsmap()))
    write("sentencepiece", "char", model(4, 1, suffix=1))
    write("sentencepiece", "word_suffix", model(3, 1, suffix=1, trim=0))
    write("sentencepiece", "escape", model(1, 1, escape=0))
    write("sentencepiece", "varint", b"\xff" * 10 + b"\1")
    write("sentencepiece", "length", field(1, b"")[:-1] + varint(2**63))
    write("sentencepiece", "groups", b"\x0b" * 64)
    write("sentencepiece", "nan", PIECES + piece("x", float("nan")))
    write("charsmap", "map", "zAB A\u0301 Ａ我".encode() + b"\0" + charsmap())
    write("charsmap", "cut", b"A\0" + charsmap()[:900])
    write("charsmap", "outside", b"A\0" + struct.pack("<I", 4) + b"\xff" * 8)


if __name__ == "__main__":
    main()
