#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The retrieval scores of `mha-viz types` for the built-in model, computed again with NumPy of
exported attention and logits, over the same texts, written here again.

    check_retrieval.py PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

program = sys.argv[1]
WORDS = """alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november
oscar papa quebec romeo sierra tango uniform victor whiskey yankee zulu""".split()
SENTENCES = """The river runs past the old mill.
A dog sleeps in the warm sun.
The children walk home from school.
He puts the cup on the table.
The train leaves in the morning.
She reads a book by the window.
The wind moves the leaves of the tree.
They eat bread and drink tea.
The man opens the door of the house.
Birds sing in the green garden.
The woman buys apples in the town.
Snow falls on the quiet street.""".splitlines()


def words(seed, i):
    rng = numpy.random.RandomState(seed * 20 + i)
    bag, found = list(WORDS), []
    for k in range(8):
        other = k + (int(rng._bit_generator.random_raw()) * (len(bag) - k) >> 32)
        found.append(bag[other])
        bag[other] = bag[k]
    return " ".join(found)


def text(key, n, before):
    filler = [SENTENCES[k % len(SENTENCES)] for k in range(n)]
    parts = filler[:before] + [f"The pass key is {key}."] + filler[before:]
    return " ".join(parts + [f"What is the pass key? Answer: {key}"])


def run(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


def tokens(s):
    return json.loads(run("tokens", "--json", s))


def span(t, start, size):
    return [i for i, (a, b) in enumerate(t["bytes"])
            if not t["special"][i] and b > start and a < start + size]


def main():
    got = json.loads(run("types", "--json", "--probe", "retrieval"))
    positions = json.loads(run("info", "--json"))["positions"]
    found, asked = [], 0
    for i in range(20):
        if len(found) + 20 - i < 10:
            break
        most = min(positions, 512) >> (3 - i // 5)
        key = words(1, i)
        n = max([k for k in range(60) if len(tokens(text(key, k, 0))["ids"]) <= most], default=0)
        if n == 0:
            continue
        s = text(key, n, n * (i % 5) // 4)
        t = tokens(s)
        ids = numpy.array(t["ids"])
        needle, gold = span(t, s.index(key), len(key)), span(t, s.rindex(key), len(key))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npz")
            run("export", "-q", "--logits", "-o", path, s)
            with numpy.load(path) as arrays:
                a = numpy.stack([arrays[f"attn.{l}"] for l in range(got["heads"][-1]["layer"] + 1)])
                top = arrays["logits"].argmax(-1)
        asked += 1
        rows = numpy.array(gold) - 1
        if 2 * (top[rows] == ids[gold]).sum() < len(gold):
            continue
        keys = a[:, :, rows].argmax(-1)
        hit = numpy.isin(keys, needle) & (ids[keys] == ids[gold])
        unique = sorted(set(ids[needle]))
        sets = sum((hit & (ids[gold] == u)).any(-1) for u in unique) / len(unique)
        found.append((sets, hit.sum(-1) / len(needle), hit[..., 0], hit.any(-1)))
    assert (got["questions"], got["answered"]) == (asked, len(found)), (asked, len(found))
    assert len(found) >= 10
    for k, name in enumerate(("retrieval", "retrieval_steps", "retrieval_first",
                              "retrieval_active")):
        want = numpy.mean([f[k] for f in found], 0)
        for head in got["heads"]:
            value = head["probe"][name]
            assert abs(value - want[head["layer"], head["head"]]) < 1e-9, (head, name, want)
    print(asked, len(found))


main()
