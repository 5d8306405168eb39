# SPDX-License-Identifier: MIT
"""Corpora + tokenizer.json -> token streams, and from those the rows a model is trained on.

Every 50th block of lines is held out of training and serves the evaluation.
"""
import os

import numpy as np

BLOCK_LINES = {"en.txt": 40, "zh_classics.txt": 40, "tatoeba": 20}


def read_lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8-sig") as f:
        return [line.rstrip() for line in f if line.strip()]


def read_pairs(folder):
    """English-Chinese sentence pairs; the third column, the contributors, is for ATTRIBUTION, not for the model."""
    return [tuple(line.split("\t")[:2]) for line in read_lines(folder, "tatoeba_en_zh.tsv")]


def split(items, block):
    """-> (training, held out)"""
    keep, held = [], []
    for i, item in enumerate(items):
        (held if i // block % 50 == 49 else keep).append(item)
    return keep, held


def flat(tok, texts):
    """Texts -> one token stream, a line end after each; and where each text begins in it."""
    codes = tok.encode_batch([t + "\n" for t in texts], add_special_tokens=False)
    sizes = [len(c.ids) for c in codes]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate([np.asarray(c.ids, np.int64) for c in codes]), starts


def load(folder, tok, seed=0, only_held_out=False):
    """-> {"en"|"zh"|"pairs": (training stream, starts)} or {}, {the same: held out stream}"""
    rng = np.random.default_rng(seed)
    train, held = {}, {}
    for key, name in (("en", "en.txt"), ("zh", "zh_classics.txt")):
        keep, out = split(read_lines(folder, name), BLOCK_LINES[name])
        held[key] = flat(tok, out)[0]
        if not only_held_out:
            train[key] = flat(tok, keep)

    keep, out = split(read_pairs(folder), BLOCK_LINES["tatoeba"])
    held["pairs"] = flat(tok, [zh for _, zh in out])[0]
    if only_held_out:
        return {}, held
    texts = []
    for i in rng.permutation(len(keep)):     # Chinese alone, English alone, or the two under each other
        en, zh = keep[i]
        texts += [[zh], [zh], [en], [en, zh], [zh, en]][rng.integers(5)]
    train["pairs"] = flat(tok, texts)
    return train, held


class Rows:
    """Draws training rows of T + 1 tokens, the first of them <|bos|>, and marks which targets count.

    natural  a stretch of a corpus
    repeat   a piece told again and again, or told again after something else; random tokens or a stretch of a corpus
    bracket  words between (), [] and {} properly nested
    mark     tokens, some followed by a mark: NEW where the token stands there for the first time, else SEEN
    """
    NEW, SEEN = "#", "="       # rare in the corpora

    def __init__(self, streams, tok, rng, mix=()):
        """mix: (corpus, share of natural text)"""
        self.streams, self.rng, self.mix, self.V = streams, rng, mix, tok.get_vocab_size()
        self.new, self.seen = tok.token_to_id(self.NEW), tok.token_to_id(self.SEEN)
        self.open, self.close = ([tok.token_to_id(c) for c in s] for s in ("([{", ")]}"))
        words = [i for t, i in tok.get_vocab().items() if t[0] == "Ġ" and t[1:].isascii() and t[1:].isalpha()]
        self.words = np.asarray(sorted(words))

    def natural(self, n):
        u, i = self.rng.random(), 0
        while u > self.mix[i][1] and i < len(self.mix) - 1:
            u -= self.mix[i][1]
            i += 1
        ids, starts = self.streams[self.mix[i][0]]
        if self.rng.random() < .5:
            at = starts[self.rng.integers(len(starts))]
        else:
            at = self.rng.integers(len(ids))
        at = min(at, len(ids) - n)
        return ids[at:at + n]

    def repeat(self, n, random_part=.6):
        """-> tokens, weights: what is random counts only where it can be foretold."""
        rng, w = self.rng, np.ones(n, bool)
        random = rng.random() < random_part
        draw = (lambda k: rng.integers(1, self.V, k)) if random else self.natural
        period = int(np.exp(rng.uniform(np.log(4), np.log(n // 2))))
        if rng.random() < .7:
            piece = draw(period)
            shift = 0 if random else rng.integers(0, min(8, n - 2 * period) + 1)
            out = np.concatenate([self.natural(shift), np.tile(piece, n // period + 1)])[:n]
            if random:
                w[:period] = False
        else:
            out = draw(n).copy()
            if random:
                w[:] = False
            at = rng.integers(0, n - 2 * period + 1)
            to = rng.integers(at + period, n - period + 1)
            out[to:to + period] = out[at:at + period]
            w[to + 1:to + period] = True
        return out, w

    def bracket(self, n):
        rng, out, stack = self.rng, [], []
        common = self.words[rng.integers(0, len(self.words), 12)]
        for _ in range(n):
            u = rng.random()
            if stack and u < .22:
                out.append(self.close[stack.pop()])
            elif u < .44 and len(stack) < 6:
                stack.append(int(rng.integers(3)))
                out.append(self.open[stack[-1]])
            else:
                out.append(int(common[rng.integers(12)]))
        return np.asarray(out)

    def mark(self, n):
        """-> tokens, weights: a list of random tokens, each with its mark, or a stretch of a corpus with some marks."""
        rng = self.rng
        random = rng.random() < .5
        pool = rng.integers(1, self.V, max(4, n // 4))
        words = pool[rng.integers(0, len(pool), n)] if random else self.natural(n)
        marked = rng.random(n) < (1. if random else .3)
        out, w, before = [], [], set()
        for word, mark in zip(words.tolist(), marked):
            out.append(word)
            w.append(not random)
            if mark:
                out.append(self.seen if word in before else self.new)
                w.append(True)
            before.add(word)
        return np.asarray(out[:n]), np.asarray(w[:n])

    def batch(self, B, T, repeats, brackets, marks=0., random_part=.6):
        """-> inputs B x T, targets B x T with -100 where nothing is to be learnt"""
        rows = np.zeros((B, T + 1), np.int64)      # 0 is <|bos|>
        count = np.ones((B, T + 1), bool)
        for b in range(B):
            u = self.rng.random()
            if u < repeats:
                rows[b, 1:], count[b, 1:] = self.repeat(T, random_part)
            elif u < repeats + brackets:
                rows[b, 1:] = self.bracket(T)
            elif u < repeats + brackets + marks:
                rows[b, 1:], count[b, 1:] = self.mark(T)
            else:
                rows[b, 1:] = self.natural(T)
        return rows[:, :-1], np.where(count, rows, -100)[:, 1:]
