#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SentencePiece models of all types with random settings, and what the sentencepiece package
(0.2.3) makes of texts with them.

    python3 tests/ref/tokenizers/mix_spm.py SEED MODELS TEXTS > FILE

One line a model: {"model": base64, "settings": …, "cases": [{"text", "ids", "offsets"}, …]},
without offsets where the two count in different ways: a character map, pieces of bytes.
tests/unit/text_mixed.c reads it; mixed_spm.jsonl is

    python3 tests/ref/tokenizers/mix_spm.py 3 20 18 > tests/ref/tokenizers/mixed_spm.jsonl

and tests/ref/tokenizers/check compares many more.
"""
import base64
import io
import json
import random
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from texts import TEXT, TEXTS, random_texts

# A to a, ﬁ to fi, U+3000 to a blank, a soft hyphen to nothing.
RULES = "41\t61\nFB01\t66 69\n3000\t20\nAD\t\n54\t74\n"
MORE_TEXTS = [
    "  The  cat ", "a USER b", "aUSERb USER", " USER", "the keeper keeps", "爨 爨爨 the 爨",
    "ab▁", "▁ a", "a ▁ b", "the\u3000river \u3000 ", "The USERs ﬁnd A USER\u00ad",
    "the river the", "river", " river ", "waiting, watching", "of the of",
    "<x> the<x>", "a TAG TAb", "TAGTAG TA",
]


def train(settings):
    settings = dict(settings)
    out = io.BytesIO()
    if settings.pop("rules"):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as f:
            f.write(RULES)
            f.flush()
            run(out, normalization_rule_tsv=f.name, **settings)
    else:
        run(out, normalization_rule_name="identity", **settings)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(out.getvalue())
    proto.normalizer_spec.normalization_rule_tsv = ""       # names a temporary file
    proto.ClearField("denormalizer_spec")
    return proto.SerializeToString()


def run(out, **settings):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines()), model_writer=out, num_threads=1,
        minloglevel=2, hard_vocab_limit=False, **settings)


def settings_of(rng):
    kind = rng.choice(["unigram", "bpe", "word", "word", "char", "char"])
    out = {"model_type": kind, "vocab_size": rng.choice([150, 170]) if kind != "word" else 90,
           "treat_whitespace_as_suffix": rng.random() < 0.5,
           "add_dummy_prefix": rng.random() < 0.75,
           "remove_extra_whitespaces": rng.random() < 0.7,
           "rules": rng.random() < 0.3}
    if rng.random() < 0.5:
        out["user_defined_symbols"] = ["USER", "<x>", "keep", "TAG"]
    if rng.random() < 0.2:
        out["byte_fallback"] = True
        out["vocab_size"] += 256
    return out


def places(text, pieces):
    """As our tokeniser counts: a blank that the model put there stands for the character
    beside it, and one of several for the last of them."""
    out = []
    for piece in pieces:
        begin = len(text.encode()[:piece.begin].decode())
        end = len(text.encode()[:piece.end].decode())
        blanks = len(text[begin:end]) - len(text[begin:end].lstrip(" "))
        begin += max(blanks - 1, 0) if piece.piece.startswith("▁") else 0
        if begin == end:
            begin, end = (begin, end + 1) if not out else (begin - 1, end)
        out.append([begin, end])
    return out


def case(model, settings, text):
    pieces = model.encode(text, return_type="proto").pieces
    out = {"text": text, "ids": [p.id for p in pieces]}
    if not settings["rules"] and not any(model.is_byte(p.id) for p in pieces):
        # Blanks that stay can be counted only where each is one piece's.
        if settings["remove_extra_whitespaces"] or "  " not in text:
            out["offsets"] = places(text, pieces)
    return out


def line(seed, n_texts):
    rng = random.Random(seed)
    settings = settings_of(rng)
    data = train(settings)
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    texts = [t for t in TEXTS + MORE_TEXTS + random_texts(40, seed)
             if "<s>" not in t and "</s>" not in t]        # control tokens to us
    rng.shuffle(texts)
    return {"model": base64.b64encode(data).decode(), "settings": settings,
            "cases": [case(model, settings, t) for t in texts[:n_texts]]}


def main():
    seed, n_models, n_texts = map(int, sys.argv[1:])
    for i in range(n_models):
        made = line(f"{seed} {i}", n_texts)
        print(json.dumps(made, ensure_ascii=False, separators=(",", ":")))


main()
