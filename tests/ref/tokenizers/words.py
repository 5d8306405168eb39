#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tokenizers library makes of texts that were split into words (--words).

Needs tokenizers 0.23.3; reads the folders that make.py wrote.

    python3 tests/ref/tokenizers/words.py           writes words.jsonl
    python3 tests/ref/tokenizers/words.py PROGRAM   compares PROGRAM over many more texts

A line holds folder, text, pair, and ids, offsets (characters of the whole text) and words
(numbered through both texts); ids is null where --words is refused: the tokeniser marks a word
by the blank before it, and one of the words is other pieces with a blank than without.
"""
import json
import pathlib
import random
import subprocess
import sys

from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = [
    ("the cat that chased the dog", None), ("", None), ("  two  spaces ", None),
    ("unhappily, unlikely untying", "the baker's daughter"), ("我 喜欢 吃 苹果", None),
    ("我 喜欢 吃 苹果", "梨 吗"), ("naïve cafe\u0301 \u3000 ideographic", None),
    ("In 1987, 120 loaves;", None), ("emoji 😀 x", "y"), ("a\tb\nc", "d"),
]


def blank_before(tokenizer):
    """Whether only a blank of the text marks a word."""
    return '"add_prefix_space":false' in json.dumps(
        json.loads(tokenizer.to_str())["pre_tokenizer"], separators=(",", ":"))


def is_whole(tokenizer, word):
    """The word is the same pieces by itself as after a blank."""
    alone = tokenizer.encode(word, add_special_tokens=False)
    after = tokenizer.encode(" " + word, add_special_tokens=False)
    more = len(after.ids) - len(alone.ids)
    return more >= 0 and after.ids[more:] == alone.ids and \
        set("".join(after.tokens[:more])) <= {"Ġ"}


def starts(text):
    """Where each word begins."""
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append(at)
        at += len(word)
    return found


def case(folder, tokenizer, text, pair):
    out = {"folder": folder, "text": text, "pair": pair, "ids": None}
    texts = [text] if pair is None else [text, pair]
    words = [t.split() for t in texts]
    if blank_before(tokenizer) and not all(is_whole(tokenizer, w) for ws in words for w in ws):
        return out
    encoding = tokenizer.encode(*words, is_pretokenized=True)
    out["ids"], out["offsets"], out["words"] = encoding.ids, [], []
    for (start, end), word, seq, special in zip(encoding.offsets, encoding.word_ids,
                                                encoding.sequence_ids,
                                                encoding.special_tokens_mask):
        base = 0 if special else starts(texts[seq])[word]
        out["offsets"].append([start + base, end + base])
        out["words"].append(None if special else word + (len(words[0]) if seq == 1 else 0))
    return out


def folders():
    for path in sorted(HERE.glob("*/tokenizer.json")):
        yield path.parent.name, Tokenizer.from_file(str(path))


def ours(program, folder, text, pair):
    line = json.dumps({"text": text, "pair": pair} if pair is not None else {"text": text})
    run = subprocess.run([program, "tokens", "-m", str(HERE / folder), "--words", "--json",
                          "--jsonl", "-f", "-"], input=line, capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else {"ids": None}


def compare(program):
    draw, n, n_bad, n_refused = random.Random(1), 0, 0, 0
    alphabet = "the cat 'un,ab 我喜\u3000é\u0301😀 12\n"
    for folder, tokenizer in folders():
        for _ in range(60):
            text, pair = ("".join(draw.choices(alphabet, k=draw.randrange(30))) for _ in "12")
            want = case(folder, tokenizer, text, pair if draw.random() < .3 else None)
            got = ours(program, folder, text, want["pair"])
            n += 1
            n_refused += want["ids"] is None
            if any(got.get(k) != want.get(k) for k in ("ids", "offsets", "words")):
                n_bad += 1
                print("want", want, "\ngot ", {k: got.get(k) for k in want})
    print(f"{n} texts, {n_refused} refused, {n_bad} differ")
    return n_bad > 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(compare(sys.argv[1]))
    with open(HERE / "words.jsonl", "w") as file:
        for name, tok in folders():
            for text, pair in TEXTS:
                file.write(json.dumps(case(name, tok, text, pair), ensure_ascii=False) + "\n")
