#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A tokenizer.json as large as the largest in use: byte-level BPE with pieces that random
merges make, or Unigram with random pieces.

    large_tokenizer.py FOLDER bpe|pairs|unigram [PIECES]

bpe: merges as "a b"; pairs: as ["a", "b"], as newer files have them.
"""
import json
import pathlib
import random
import sys


def byte_alphabet():
    """The visible character of each byte (Radford et al. 2019)."""
    visible = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    hidden = [b for b in range(256) if b not in visible]
    return [chr(b) for b in visible] + [chr(0x100 + i) for i in range(len(hidden))]


def bpe(n, pairs):
    rng = random.Random(1)
    pieces = byte_alphabet()
    letters = [c for c in pieces if c.isascii() and c.islower()] + ["\u0120"]
    known, merges = set(pieces), []
    short = letters[:]                      # what is joined further: up to 6 characters
    while len(pieces) < n:
        pool = letters if rng.random() < 0.3 else short
        left, right = rng.choice(pool), rng.choice(short)
        both = left + right
        if both in known or len(both) > 12 or "\u0120" in both[1:]:
            continue
        known.add(both)
        pieces.append(both)
        merges.append([left, right])
        if len(both) <= 6:
            short.append(both)
    return {"type": "BPE", "dropout": None, "unk_token": None,
            "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False,
            "vocab": {p: i for i, p in enumerate(pieces)},
            "merges": merges if pairs else [" ".join(m) for m in merges]}


def unigram(n):
    rng = random.Random(1)
    pieces = {"<unk>": 0.0, "\u2581": -3.0}
    while len(pieces) < n:
        word = "".join(rng.choices("etaoinshrdlucmfwypvbgk", k=rng.randint(1, 9)))
        pieces.setdefault(rng.choice(["", "\u2581"]) + word, -4 - 12 * rng.random())
    return {"type": "Unigram", "unk_id": 0, "vocab": [list(p) for p in pieces.items()],
            "byte_fallback": False}


def main(folder, kind, n="150000"):
    if kind == "unigram":
        model, steps = unigram(int(n)), {"type": "Metaspace", "replacement": "\u2581",
                                         "prepend_scheme": "always", "split": True}
    else:
        model, steps = bpe(int(n), kind == "pairs"), {
            "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
            "use_regex": True}
    text = json.dumps({"version": "1.0", "truncation": None, "padding": None,
                       "added_tokens": [], "normalizer": None, "pre_tokenizer": steps,
                       "post_processor": None, "decoder": steps, "model": model},
                      ensure_ascii=False, indent=2)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(folder) / "tokenizer.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
