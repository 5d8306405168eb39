#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz target sums beside this file: parts of a few lines, and parts
that are wrong in one way.  Its argument is the program."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent / "sums"
LINES = "".join(json.dumps({"text": t, "lang": g}) + "\n"
                for t, g in [("the key", "a"), ("the cat", "b"), ("in", "a")])


ROOT = HERE.parents[3]


def part_of(command, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "part"
        subprocess.run([sys.argv[1], command, "-q", *options, "--shard", "0/1", "-o", path],
                       input=LINES.encode(), check=True)
        return path.read_bytes()


def part(*options):
    return part_of("stats", "--jsonl", "-l", "0", "-H", "0", *options)


GPT2 = ("-m", ROOT / "tests/ref/gpt2")
JSONL = ("--jsonl", "-f", "-")
ablate = part_of("ablate", *GPT2, *JSONL)
types = part_of("types", *GPT2, *JSONL)
gold = part_of("types", *GPT2, "-l", "1", "--no-probe", "--gold", ROOT / "samples/english.conllu")


def changed(data, old, new):
    n = struct.unpack("<Q", data[16:24])[0]
    head, rest = data[24:24 + n], data[24 + n:-4]
    assert old in head
    head = head.replace(old, new)
    data = data[:16] + struct.pack("<Q", len(head)) + head + rest
    return data + struct.pack("<I", zlib.crc32(data))


small = part("--metric", "entropy")
HERE.mkdir(exist_ok=True)
for name, data in {
    "small": small,
    "groups": part("--metric", "entropy,prev", "--by", "lang", "--sort", "prev"),
    "bootstrap": part("--metric", "entropy", "--bootstrap=2", "--hide", "first"),
    "reliability": part("--metric", "self", "--reliability", "--weight", "norm"),
    "no_texts": changed(small, b'"groups":[[null,3]]', b'"groups":[]'),
    "short": changed(small, b"[null,3]", b"[null,3],[null,1]"),
    "heads": changed(small, b'["decoder",0,0]', b'["decoder",0,0],["decoder",0,-1]'),
    "options": changed(small, b'"--metric","entropy"', b'"--metric","received"'),
    "ablate": ablate,
    "together": part_of("ablate", *GPT2, *JSONL, "--together"),
    "measure": changed(ablate, b'"measure":"next"', b'"measure":"hidden"'),
    "types": types,
    "probes": changed(types, b'"probes":', b'"probe":'),
    "layers": changed(types, b'"layers":2', b'"layers":3'),
    "gold": gold,
    "mentions": changed(gold, b'"mentions":', b'"mention":'),
    "relations": changed(gold, b'"relations":["all"', b'"relations":["all","all"'),
    "help": changed(small, b'"--metric","entropy"', b'"--help"'),
}.items():
    (HERE / name).write_bytes(data)
