#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz targets tokenizer and text beside this file."""
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def split(pattern, behavior, invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


BPE = {
    "version": "1.0", "truncation": {"max_length": 1}, "padding": {"length": 9},
    "added_tokens": [{"id": 5, "content": "<s>", "special": True, "lstrip": True}],
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "BertNormalizer", "strip_accents": None}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        split({"Regex": "\\p{N}{1,3}"}, "Isolated"),
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}]},
    "post_processor": {"type": "Sequence", "processors": [
        {"type": "ByteLevel"},
        {"type": "TemplateProcessing",
         "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                    {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                  {"Sequence": {"id": "B", "type_id": 1}}],
         "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}}}]},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "dropout": None, "unk_token": "a",
              "vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġa": 4},
              "merges": [["a", "b"], ["Ġ", "a"]]},
}
WORDPIECE = {
    "added_tokens": [
        {"id": 0, "content": "[MASK]", "special": True, "lstrip": True,
         "single_word": True},
        {"id": 6, "content": "CAT", "rstrip": True}],
    "normalizer": {"type": "BertNormalizer"},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[MASK]", 0], "cls": ["b", 3]},
    "model": {"type": "WordPiece", "unk_token": "[MASK]", "max_input_chars_per_word": 9,
              "vocab": {"[MASK]": 0, "a": 1, "##a": 2, "b": 3, "##b": 4, "the": 5}},
}
MIXED = {
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": t} for t in
        ("NFKD", "StripAccents", "NFKC", "NFD", "NFC", "Lowercase")]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "Digits", "individual_digits": True},
        {"type": "Punctuation", "behavior": "MergedWithNext"}, {"type": "Whitespace"},
        split({"String": "a"}, "Contiguous", True),
        split({"Regex": "[\\w-[ab]]{1,2}+|\\p{Han}|(?i:x)\\b|\\u4e00{,3}"},
              "MergedWithPrevious"),
        {"type": "WhitespaceSplit"},
        {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False}]},
    "post_processor": {"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["b", 1],
                       "trim_offsets": True, "add_prefix_space": True},
    "model": {"type": "BPE", "ignore_merges": True, "vocab": {"a": 0, "b": 1, "ab": 2},
              "merges": ["a b"]},
}
HOSTILE = {
    "pre_tokenizer": split({"Regex": "(a+)+$"}, "Isolated"),
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 2 ** 40}, "merges": []},
}
# A place takes 10 milliseconds, each of a text's 90 in each of 40 patterns.
HARD = {
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        split({"Regex": "(?:.|..){1,22}[ZQ%d]" % (i % 10)}, "Isolated") for i in range(40)]},
    "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []},
}
WORDS = {
    "normalizer": {"type": "ByteLevel"},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "UnicodeScripts"}, {"type": "FixedLength", "length": 3}]},
    "added_tokens": [{"id": 3, "content": "é "}],
    "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "The": 1, "cat": 2}},
}
MARKS = {
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "model": {"type": "BPE", "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>",
              "byte_fallback": True, "unk_token": "?", "merges": [["a", "##b</w>"]],
              "vocab": {"?": 0, "a": 1, "##b</w>": 2, "ab</w>": 3, "<0x23>": 4, "<0x3C>": 5,
                        "<0x2F>": 6, "<0x77>": 7, "<0x3E>": 8, "<0x65>": 9}},
}
TEXTS = [
    "The cat's 12,345 don't  \n\t naïve",
    "\u0130 e\u0301\u0323 ﬁ ½ \u1100\u1161\u11a8 가 हि", "我喜欢吃苹果、々",
    "[CLS] <s> <mask>  <mask> <|endoftext|> keep ÉCOLE  ",
    "a\x00b\x07\u180e\u2028\u00a0\u3000", "😀👩\u200d👩 🇩🇪 \U00020000", "",
    "[CLS] the ##er",
]


def main():
    for name, j in (("bpe", BPE), ("wordpiece", WORDPIECE), ("mixed", MIXED),
                    ("hostile", HOSTILE), ("hard", HARD), ("words", WORDS),
                    ("marks", MARKS)):
        (HERE / "tokenizer").mkdir(exist_ok=True)
        (HERE / "tokenizer" / name).write_text(
            json.dumps(j, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    (HERE / "text").mkdir(exist_ok=True)
    for i, text in enumerate(TEXTS):
        (HERE / "text" / f"seed{i}").write_bytes(bytes([i % 7]) + text.encode())
    (HERE / "text" / "bad").write_bytes(b"\x01ab\xff\xed\xa0\x80\xc0\xaf")
    (HERE / "text" / "pieces").write_bytes(
        b"\x41" + "Ġthe Ġ <|endoftext|> Ċ".encode())


if __name__ == "__main__":
    main()
