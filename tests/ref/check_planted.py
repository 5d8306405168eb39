#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `mha-viz types` calls heads whose job is known, those of planted_models.py: over texts of
made-up words, and by probes alone.

    check_planted.py PROGRAM

JOBS has, for each job, the label that it is to get, or what it is not to be called where the
taxonomy has no word for it.  Printed: one line for each head, and the number of those that are
called wrongly, which is also the exit status.  Needs NumPy."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

import planted_models
from check_random import tokeniser
from planted_models import BEFORE, CODES, Head

SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS, NAMES, TEXTS, LENGTH = 560, 20, 40, 48
(CLS, SEP, PUNCTUATION, PERIOD, COMMA, NAME, MARK, RARITY, SEGMENT, _, LENGTH_2) = range(11)
LENGTHS = [LENGTH_2 + i for i in range(8)]
SHARP = 150         # of a place: the next best gets exp(-12) of it


# ---- texts ----

def make_words(rng):
    """Of 2 to 9 letters, all different; names with a capital one."""
    found = {}
    while len(found) < WORDS + NAMES + TEXTS:
        letters = rng.integers(ord("a"), ord("z") + 1, rng.integers(2, 10))
        found["".join(map(chr, letters))] = True
    words = list(found)
    names = [w.capitalize() for w in words[:NAMES]]
    return words[NAMES:NAMES + WORDS], names, words[NAMES + WORDS:]


def make_text(words, once, rng):
    """Sentences of seven words; those of once stand in the first three, where they may."""
    words = list(words)
    for word in once:
        words.insert(int(rng.integers(1, 20)), word)
    for i in range(7, len(words), 8):
        words.insert(i, "," if i % 16 == 7 else ".")
    return words + ["."]


def make_texts(rng):
    """-> texts as lists of words.  Each has a name, a mark and a word that no other has."""
    words, names, hapaxes = make_words(rng)
    room = TEXTS * (LENGTH - 10)
    pool = words * 2 + words[:room - 2 * WORDS]
    rng.shuffle(pool)
    n = len(pool) // TEXTS
    return words + names + hapaxes, [
        make_text(pool[i * n:(i + 1) * n], [names[i % NAMES], "|", hapaxes[i]], rng)
        for i in range(TEXTS)]


def traits_of(vocabulary, texts):
    count = {w: 1 for w in vocabulary}
    for word in (w for text in texts for w in text):
        count[word] += 1
    x = numpy.zeros((len(vocabulary), LENGTHS[-1] + 1))
    for i, word in enumerate(vocabulary):
        x[i, RARITY] = 2 / count[word] if word.isalpha() else 0
        x[i, PUNCTUATION] = word in (",", ".")
        x[i, PERIOD] = word == "."
        x[i, COMMA] = word == ","
        x[i, NAME] = word[0].isupper()
        x[i, MARK] = word == "|"
        x[i, CLS] = word == "[CLS]"
        x[i, SEP] = word == "[SEP]"
        x[i, LENGTH_2 + min(max(len(word), 2), 9) - 2] = 1
    return x


# ---- jobs ----

def place(offset, **more):
    return Head(offset=offset, place=SHARP, **more)


def trait(number, pull=12, **more):
    return Head(trait=number, pull=pull, **more)


def match(**more):
    return Head(match=60, **more)


def duplicate():
    """Not the token itself, which stands at the offset 0."""
    return Head(match=100, place=-40)


# name: (head, labels that it has, the primary one first; labels that it has not)
SINKS = ["sink-elsewhere", "sink-first", "dormant"]
JOBS = {
    "previous": (place(-1, write=BEFORE, gain=1), ["previous"], ["local", "block"] + SINKS),
    "self": (place(0), ["self"], ["local", "block"] + SINKS),
    "next": (place(1), ["next"], ["local", "block"] + SINKS),
    "offset -2": (place(-2), ["offset -2"], ["local", "block"] + SINKS),
    "offset -3": (place(-3), ["offset -3"], ["local", "block"] + SINKS),
    "offset -5": (place(-5), ["offset -5"], ["local", "block"] + SINKS),
    "offset -8": (place(-8), ["offset -8"], ["local", "block"] + SINKS),
    "offset +2": (place(2), ["offset +2"], ["local", "block"] + SINKS),
    "offset +3": (place(3), ["offset +3"], ["local", "block"] + SINKS),
    "half previous": (place(-1.48), ["previous"], ["offset -2"] + SINKS),
    "less than half previous": (Head(offset=-2, place=8), ["local"], ["previous"] + SINKS),
    "local": (Head(offset=-2, place=60, slowest=True), ["local"], ["previous", "self"] + SINKS),
    "first": (Head(place=SHARP, at=0), ["sink-first", "weak"], ["sink-elsewhere"]),
    "first by its token": (trait(CLS), ["sink-first", "weak"], ["sink-elsewhere"]),
    "half first": (trait(CLS, 3), ["heterogeneous", "weak"], SINKS),
    "dormant": (trait(CLS, gain=0.001), ["dormant", "sink-first"], ["sink-elsewhere"]),
    "uniform": (Head(), ["broad"], SINKS),
    "far": (Head(place=-60), ["heterogeneous"], ["local", "self", "previous"] + SINKS),
    "duplicate": (duplicate(), ["duplicate-token"], ["induction", "sink-elsewhere"]),
    "induction": (match(of=BEFORE), ["induction"], ["copying", "retrieval"] + SINKS),
    "induction, copying": (match(of=BEFORE, write=CODES, gain=4), ["induction", "copying"],
                           ["negative-copy", "retrieval"] + SINKS),
    "induction, negative": (match(of=BEFORE, write=CODES, gain=-4),
                            ["induction", "negative-copy"], ["copying", "retrieval"] + SINKS),
    "copying": (Head(write=CODES, gain=4), ["broad", "copying"], SINKS),
    "copying, negative": (Head(write=CODES, gain=-4), ["negative-copy", "broad"], SINKS),
    "punctuation": (trait(PUNCTUATION), ["punctuation"], ["sink-first", "dormant"]),
    "sentence end": (trait(PERIOD), ["punctuation"], ["sink-first", "dormant"]),
    "comma": (trait(COMMA), ["punctuation"], ["sink-first", "dormant"]),
    "separator": (trait(SEP), ["separator"], ["sink-first"]),
    "rare token": (trait(RARITY, 40), ["rare-token"], ["sink-first", "dormant"]),
    "name": (trait(NAME), ["heterogeneous"], SINKS + ["rare-token"]),
    "long word": (trait(LENGTHS[-1]), ["heterogeneous"], SINKS + ["rare-token"]),
    "same length": (Head(alike=LENGTHS, pull=30), ["heterogeneous"], SINKS),
    "mark": (trait(MARK), ["sink-elsewhere"], ["sink-first"]),
    "dormant mark": (trait(MARK, gain=0.001), ["dormant", "sink-elsewhere"], ["sink-first"]),
    "second place": (Head(place=SHARP, at=1), ["sink-elsewhere"], ["sink-first"]),
    "segment": (Head(alike=[SEGMENT, SEGMENT + 1], pull=30), ["broad"], SINKS),
}
# An encoder sees the token that follows the present one itself, which is as good.
IN_ENCODERS = JOBS | {"induction": (None, ["next"], ["induction", "sink-elsewhere"])}
IN_PAIRS = IN_ENCODERS | {"segment": (None, ["block"], SINKS + ["broad"])}
# In texts of more than 68 tokens, what a window of 4 and 64 of them shows can be told.
NEAR = {"previous", "self", "offset -2", "offset -3", "offset -5", "offset -8", "half previous",
        "less than half previous", "local", "first"}

# Labels that probes alone can give, over random tokens.
PROBED = {"previous", "next", "self", "sink-first", "duplicate-token", "induction", "copying",
          "negative-copy"}

# Two heads in each layer; what reads BEFORE stands above the first one, what writes codes last.
GPT2 = ["previous", "first", "self", "uniform", "duplicate", "induction", "offset -2",
        "offset -3", "offset -8", "half previous", "less than half previous", "local",
        "punctuation", "sentence end", "name", "rare token", "mark", "second place",
        "same length", "offset -5", "comma", "long word", "dormant mark", "far",
        "copying", "copying, negative", "induction, copying", "induction, negative"]
QWEN2 = ["previous", "first by its token", "self", "uniform", "duplicate", "induction",
         "offset -2", "offset -3", "half previous", "less than half previous", "half first",
         "dormant", "name", "rare token", "induction, copying", "induction, negative"]
BERT = ["previous", "next", "self", "uniform", "first by its token", "duplicate", "offset +2",
        "offset -3", "half previous", "separator", "punctuation", "sentence end", "rare token",
        "name", "same length", "mark", "segment", "induction"]


# ---- run ----

def report(program, model, *more):
    out = subprocess.run([program, "types", "-q", "--json", "-m", model, *more],
                         check=True, capture_output=True).stdout
    return json.loads(out)["heads"]


def called_right(job, head, known):
    _, labels, never = known[job]
    has = head["types"]
    return (head["primary"] == labels[0] and not set(labels) - set(has) and
            not set(never) & set(has))


def streams_right(job, head, _):
    return job not in NEAR | {"uniform", "name", "induction"} or \
        ("streaming" in head["types"]) == (job in NEAR)


def never_elsewhere(_, head, __):
    return "sink-elsewhere" not in head["types"]


def probed_right(job, head, known):
    """Those of its labels that probes give, and no other."""
    return head["types"] == [label for label in known[job][1]
                             if label in PROBED or label.startswith("offset")]


def count_wrong(name, heads, jobs, known, right=called_right):
    wrong = 0
    for head, job in zip(heads, jobs, strict=True):
        is_right = right(job, head, known)
        wrong += not is_right
        print(f"{name} L{head['layer']}H{head['head']} {'' if is_right else 'WRONG '}{job}: "
              f"{', '.join(head['types'])}")
    return wrong


def with_template(words, ends):
    """The special tokens before, and of two ends after, the texts; the second's type is 1."""
    made = tokeniser(words, ends > 0)
    if ends == 1:
        made["post_processor"]["single"].pop()
    if ends == 2:
        for part in made["post_processor"]["pair"][-2:]:
            next(iter(part.values()))["type_id"] = 1
    return made


def write_texts(folder, texts):
    """Each text as one, in two segments, cut to 16 tokens, and three of them as one."""
    def lines(name, parts):
        (folder / name).write_text("".join(part + "\n" for part in parts))

    lines("texts", (" ".join(t) for t in texts))
    lines("pairs", (" ".join(t[:24]) + "\t" + " ".join(t[24:]) for t in texts))
    lines("short", (" ".join(t[:16]) for t in texts))
    lines("long", (" ".join(sum(texts[i:i + 3], [])) for i in range(0, TEXTS - 2, 3)))


def main():
    program, rng = sys.argv[1], numpy.random.default_rng(3)
    words, texts = make_texts(rng)
    vocabulary = SPECIAL + [",", ".", "|"] + words
    traits = traits_of(vocabulary, texts)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_texts(folder, texts)

        def check(family, jobs, kind, *more, **how):
            texts = [] if kind == "probes" else ["-f", folder / kind]
            heads = report(program, folder / family, *texts, *more)
            return count_wrong(f"{family} {kind}", heads, jobs, **how)

        for family, jobs, ends in (("gpt2", GPT2, 0), ("qwen2", QWEN2, 1), ("bert", BERT, 2)):
            more = [SEGMENT] if family == "bert" else []
            made = getattr(planted_models, family)([JOBS[job][0] for job in jobs], traits, rng,
                                                   *more)
            planted_models.write(folder / family, made, with_template(vocabulary, ends))
            known = IN_ENCODERS if family == "bert" else JOBS
            wrong += check(family, jobs, "texts", known=known)
            wrong += check(family, jobs, "short", known=known, right=never_elsewhere)
            wrong += check(family, jobs, "probes", known=known, right=probed_right)
        wrong += check("bert", BERT, "pairs", "--pairs", known=IN_PAIRS)
        wrong += check("gpt2", GPT2, "long", known=JOBS, right=streams_right)
    print(wrong, "wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
