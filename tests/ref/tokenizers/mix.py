#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tokenisers put together at random from all parts of tokenizer.json, and what the
tokenizers package (0.23.3) makes of texts with them.

    python3 tests/ref/tokenizers/mix.py SEED TOKENISERS TEXTS > FILE

One line a tokeniser: {"tokenizer": …, "cases": [{"text", "pair", "ids", "tokens",
"offsets", "type_ids", "special_mask", "ids_no_special"}, …]}, a case that the package refuses
{"text", "pair", "fails": true}.  tests/unit/text_mixed.c reads it; mixed.jsonl is

    python3 tests/ref/tokenizers/mix.py 11 48 9 > tests/ref/tokenizers/mixed.jsonl

and tests/ref/tokenizers/check compares many more.
"""
import collections
import json
import pathlib
import random
import sys

from tokenizers import Tokenizer

from texts import PAIRS, TEXT, TEXTS, random_texts

HERE = pathlib.Path(__file__).resolve().parent
UNIGRAM = json.loads((HERE / "unigram/tokenizer.json").read_text(encoding="utf-8"))
CHARSMAP = next(n["precompiled_charsmap"] for n in UNIGRAM["normalizer"]["normalizers"]
                if n["type"] == "Precompiled")
MORE_TEXTS = [
    "  かな カナ 漢字 ー ラーメン abc привет 12", "ἀρχή αβγ שלום عربي ไทย ཨ ꦗ 𞤀 ꙮ",
    "x\u3000y \u3000 z", "a\u3000", "</w> lamp</w> ##ing", "<unk> [UNK] <0x41>", "Ġa Ċ ▁b",
    "lamp lamps lamplight unlit", "的东西 们今天 zz爨zz", " \u0301a", "𝔘𝔫𝔦 ℌ ①②",
]
BEHAVIOURS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
PATTERNS = [
    {"String": " "}, {"String": "e"}, {"String": "th"}, {"Regex": r"\s+"}, {"Regex": r"\d"},
    {"Regex": r"\p{Lu}"}, {"Regex": r"\w+|[^\w\s]+"}, {"Regex": r" ?\p{L}+| ?\p{N}{1,3}|\s+"},
    {"Regex": r"(?i)the|ing\b"}, {"Regex": r"\p{Han}"}, {"Regex": "[aeiou]{2,}"},
]
SPECIALS = ["<unk>", "[CLS]", "[SEP]", "<mask>"]


class Mix:
    """One tokeniser; all that is random comes from rng."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def some(self, *values):
        return self.rng.choice(values)

    def flag(self):
        return self.rng.random() < 0.5

    def flags(self, *names):
        return {n: self.flag() for n in names}

    # ---- steps ----

    def normalizer_of(self, kind):
        more = {
            "BertNormalizer": lambda: {
                **self.flags("clean_text", "handle_chinese_chars", "lowercase"),
                "strip_accents": self.some(None, True, False)},
            "Precompiled": lambda: {"precompiled_charsmap": CHARSMAP},
            "Prepend": lambda: {"prepend": self.some("▁", "x", " a")},
            "Replace": lambda: {"pattern": self.some(*PATTERNS),
                                "content": self.some("", " ", "▁", "the", "é")},
            "Strip": lambda: self.flags("strip_left", "strip_right"),
        }
        return {"type": kind, **more.get(kind, dict)()}

    def normalizer(self):
        kinds = ["BertNormalizer", "ByteLevel", "Lowercase", "NFC", "NFD", "NFKC", "NFKD",
                 "Nmt", "Precompiled", "Prepend", "Replace", "Strip", "StripAccents"]
        return self.chain("normalizers", kinds, self.normalizer_of, 0.3)

    def pre_tokenizer_of(self, kind):
        more = {
            "ByteLevel": lambda: self.flags("add_prefix_space", "trim_offsets", "use_regex"),
            "CharDelimiterSplit": lambda: {"delimiter": self.some(" ", "e", "-", "我")},
            "Digits": lambda: self.flags("individual_digits"),
            "FixedLength": lambda: {"length": self.rng.randint(1, 7)},
            "Metaspace": lambda: {"replacement": self.some("▁", "▁", "_"),
                                  "prepend_scheme": self.some("always", "first", "never"),
                                  "split": self.flag()},
            "Punctuation": lambda: {"behavior": self.some(*BEHAVIOURS)},
            "Split": lambda: {"pattern": self.some(*PATTERNS),
                              "behavior": self.some(*BEHAVIOURS), "invert": self.flag()},
        }
        return {"type": kind, **more.get(kind, dict)()}

    def pre_tokenizer(self):
        kinds = ["BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits",
                 "FixedLength", "Metaspace", "Punctuation", "Split", "UnicodeScripts",
                 "Whitespace", "WhitespaceSplit"]
        return self.chain("pretokenizers", kinds, self.pre_tokenizer_of, 0.15)

    def chain(self, plural, kinds, make, nothing):
        if self.rng.random() < nothing:
            return None
        if self.flag():
            return make(self.some(*kinds))
        steps = [make(self.some(*kinds)) for _ in range(self.rng.randint(1, 3))]
        return {"type": "Sequence", plural: steps}

    # ---- models, from the words that the steps above leave ----

    def words(self, normalizer, pre_tokenizer):
        steps = Tokenizer.from_str(json.dumps({
            "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer}))
        words = collections.Counter()
        for line in TEXT.splitlines(True):
            if steps.normalizer is not None:
                line = steps.normalizer.normalize_str(line)
            parts = [(line, None)]
            if steps.pre_tokenizer is not None:
                parts = steps.pre_tokenizer.pre_tokenize_str(line)
            words.update(w for w, _ in parts if w)
        return words

    def frequent(self, counts, n):
        return [x for x, _ in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:n]]

    def wordlevel(self, words):
        return {"type": "WordLevel", "unk_token": "<unk>",
                "vocab": self.ids(SPECIALS + self.frequent(words, 60))}

    def wordpiece(self, words):
        prefix = self.some("##", "##", "", "@@")
        chars = sorted({c for w in words for c in w})
        starts, rests = collections.Counter(), collections.Counter()
        for w, n in words.items():
            w = w[:12]
            for k in range(2, len(w) + 1):
                starts[w[:k]] += n
            for i in range(1, len(w)):
                for k in range(2, 5):
                    rests[prefix + w[i:i + k]] += n
        self.rng.shuffle(chars)
        chars = chars[:self.some(30, 200)]
        return {"type": "WordPiece", "unk_token": self.some("<unk>", "[CLS]"),
                "continuing_subword_prefix": prefix,
                "max_input_chars_per_word": self.some(100, 100, 6),
                "vocab": self.ids(SPECIALS + chars + [prefix + c for c in chars] +
                                  self.frequent(starts, 30) + self.frequent(rests, 30))}

    def marked(self, word, prefix, suffix):
        return [prefix * (i > 0) + c + suffix * (i == len(word) - 1)
                for i, c in enumerate(word)]

    def bpe(self, words):
        prefix = self.some("", "", "##", "@")
        suffix = self.some("", "", "</w>", "~")
        bytes_too = self.rng.random() < 0.25
        split = [(self.marked(w[:40], prefix, suffix), n) for w, n in words.items()]
        chars = collections.Counter(c for w, n in split for c in w)
        known = self.frequent(chars, self.some(40, 300))
        pieces, merges = list(known), []
        for _ in range(self.some(0, 25, 50)):
            pairs = collections.Counter()
            for w, n in split:
                for a, b in zip(w, w[1:]):
                    if a in pieces and b in pieces:
                        pairs[a, b] += n
            if not pairs:
                break
            a, b = self.frequent(pairs, 1)[0]
            both = a + b[len(prefix):]
            merges.append([a, b])
            if both not in pieces:
                pieces.append(both)
            split = [(join(w, a, b, both), n) for w, n in split]
        if bytes_too:
            pieces += ["<0x%02X>" % b for b in range(256)]
        return {"type": "BPE", "dropout": None, "unk_token": self.some("<unk>", "<unk>", None),
                "continuing_subword_prefix": prefix or self.some(None, ""),
                "end_of_word_suffix": suffix or self.some(None, ""),
                "fuse_unk": self.flag(), "byte_fallback": bytes_too,
                "ignore_merges": self.rng.random() < 0.3,
                "vocab": self.ids(SPECIALS + pieces), "merges": merges}

    def unigram(self, words):
        bytes_too = self.rng.random() < 0.3
        counts = collections.Counter()
        for w, n in words.items():
            w = w[:20]
            for i in range(len(w)):
                for k in range(1, 6):
                    counts[w[i:i + k]] += n
        pieces = SPECIALS + self.frequent(counts, self.some(60, 110))
        if bytes_too:
            pieces += ["<0x%02X>" % b for b in range(256)]
        vocab = [[p, round(-self.rng.uniform(1, 9) - len(p) / 9, 4)]
                 for p in dict.fromkeys(pieces)]
        return {"type": "Unigram", "unk_id": 0, "byte_fallback": bytes_too, "vocab": vocab}

    def ids(self, pieces):
        return {p: i for i, p in enumerate(dict.fromkeys(pieces))}

    # ---- the rest ----

    def added_tokens(self, model, normalizer):
        vocab = model["vocab"]
        known = list(vocab) if isinstance(vocab, dict) else [p for p, _ in vocab]
        names = SPECIALS + self.rng.sample(
            ["the ", "é", "keep", " river", "我喜", "ing", "x</w>", "A B"], self.rng.randint(0, 3))
        steps = Tokenizer.from_str(json.dumps({
            "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
            "normalizer": normalizer})).normalizer
        out, after = [], len(known)
        for name in names:
            if name in known:
                index = known.index(name)
            else:
                index, after = after, after + 1
            # Where nothing is left of one, the package panics at some texts.
            special = name in SPECIALS or (
                steps is not None and steps.normalize_str(name) == "")
            out.append({"id": index, "content": name, "special": special,
                        **self.flags("single_word", "lstrip", "rstrip"),
                        "normalized": not special and self.flag()})
        return out

    def post_processor_of(self, kind):
        cls, sep = ["[CLS]", 1], ["[SEP]", 2]
        trim = self.flags("add_prefix_space", "trim_offsets")
        slot = {"A": {"Sequence": {"id": "A", "type_id": 0}},
                "B": {"Sequence": {"id": "B", "type_id": self.some(0, 1)}},
                "C": {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                "S": {"SpecialToken": {"id": "[SEP]", "type_id": self.some(0, 1)}}}
        more = {
            "BertProcessing": {"cls": cls, "sep": sep},
            "RobertaProcessing": {"cls": cls, "sep": sep, **trim},
            "ByteLevel": {**trim, "use_regex": True},
            "TemplateProcessing": {
                "single": [slot[c] for c in self.some("CAS", "A", "SA", "CCA")],
                "pair": [slot[c] for c in self.some("CASBS", "AB", "BSA", "CACB")],
                "special_tokens": {
                    "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                    "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
        }
        return {"type": kind, **more[kind]}

    def post_processor(self):
        kind = self.some(None, "BertProcessing", "RobertaProcessing", "ByteLevel",
                         "TemplateProcessing", "Sequence")
        if kind == "Sequence":
            return {"type": kind, "processors": [
                self.post_processor_of("ByteLevel"),
                self.post_processor_of(self.some("TemplateProcessing", "ByteLevel"))]}
        return kind and self.post_processor_of(kind)

    def decoder(self):
        return self.some(None, {"type": "BPEDecoder", "suffix": "</w>"}, {"type": "Fuse"},
                         {"type": "ByteFallback"},
                         {"type": "CTC", "pad_token": "<unk>", "word_delimiter_token": "|",
                          "cleanup": True},
                         {"type": "WordPiece", "prefix": "##", "cleanup": True})

    def tokenizer(self):
        normalizer, pre_tokenizer = self.normalizer(), self.pre_tokenizer()
        words = self.words(normalizer, pre_tokenizer)
        model = self.some(self.wordlevel, self.wordpiece, self.bpe, self.bpe,
                          self.unigram)(words)
        return {"version": "1.0", "truncation": None, "padding": None,
                "added_tokens": self.added_tokens(model, normalizer), "normalizer": normalizer,
                "pre_tokenizer": pre_tokenizer, "post_processor": self.post_processor(),
                "decoder": self.decoder(), "model": model}


def join(word, a, b, both):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == [a, b]:
            out.append(both)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def outside(model):
    """The package gives bytes of a mark offsets that are not of the text."""
    return model["type"] == "BPE" and model["byte_fallback"] and bool(
        model["continuing_subword_prefix"] or model["end_of_word_suffix"])


def names_of(spec):
    """Pieces by id as the file has them; the package normalises added tokens."""
    vocab = spec["model"]["vocab"]
    pieces = vocab if isinstance(vocab, dict) else [p for p, _ in vocab]
    return [*pieces] + [t["content"] for t in spec["added_tokens"] if t["id"] >= len(pieces)]


def case(tok, names, text, pair, offsets):
    out = {"text": text} if pair is None else {"text": text, "pair": pair}
    try:
        enc = tok.encode(text, pair)
        bare = tok.encode(text, pair, add_special_tokens=False)
    except Exception:
        return {**out, "fails": True}
    out["ids"] = enc.ids
    out["tokens"] = [names[i] for i in enc.ids]
    if offsets:
        out["offsets"] = enc.offsets
    return {**out, "type_ids": enc.type_ids, "special_mask": enc.special_tokens_mask,
            "ids_no_special": bare.ids}


def line(seed, n_texts):
    mix = Mix(seed)
    spec = mix.tokenizer()
    tok = Tokenizer.from_str(json.dumps(spec))
    texts = [(t, None) for t in TEXTS + MORE_TEXTS + random_texts(40, seed)] + PAIRS
    mix.rng.shuffle(texts)
    names, offsets = names_of(spec), not outside(spec["model"])
    return {"tokenizer": spec,
            "cases": [case(tok, names, t, p, offsets) for t, p in texts[:n_texts]]}


def main():
    seed, n_tokenisers, n_texts = map(int, sys.argv[1:])
    for i in range(n_tokenisers):
        made = line(f"{seed} {i}", n_texts)
        print(json.dumps(made, ensure_ascii=False, separators=(",", ":")))


main()
