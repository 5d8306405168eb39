# SPDX-License-Identifier: MIT
"""Corpora -> tokenizer.json: byte-level BPE in which every Han character is a piece of its own.

    python tokeniser.py CORPORA OUT/tokenizer.json [--vocab 6144]
"""
import argparse
import json

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

import corpus

BOS = "<|bos|>"
HAN = "㐀-䶿一-鿿豈-﫿"  # ranges, not \p{Han}: regex engines disagree on whether that takes in 。
PATTERN = (
    f"[{HAN}]"                                   # one Han character
    r"|(?i:'s|'t|'re|'ve|'m|'ll|'d)"             # English contractions
    rf"| ?[^\P{{L}}{HAN}]+"                      # a word of any other script
    r"| ?\p{N}{1,3}"                             # up to three digits
    r"| ?[^\s\p{L}\p{N}]+"                       # punctuation
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"                 # line ends, then other space
)
MUST_BE_WHOLE = "我喜欢吃苹果"


def lines(folder):
    """Balances the corpora: a third of the novels; Tatoeba over and over, its words being the modern ones."""
    for name in ("en.txt", "zh_classics.txt"):
        for i, line in enumerate(corpus.read_lines(folder, name)):
            if i % 3 == 0:
                yield line
    for en, zh in corpus.read_pairs(folder):
        yield from [en] * 3 + [zh] * 12


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("out")
    ap.add_argument("--vocab", type=int, default=6144)
    args = ap.parse_args()

    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(lines(args.corpora), trainers.BpeTrainer(
        vocab_size=args.vocab, special_tokens=[BOS], show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    tok.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B:1", special_tokens=[(BOS, 0)])

    got = tok.encode(MUST_BE_WHOLE).ids
    assert got[0] == 0 and len(got) == 1 + len(MUST_BE_WHOLE), got
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(json.loads(tok.to_str()), f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
