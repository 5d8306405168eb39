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


def part(*options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "part"
        subprocess.run([sys.argv[1], "stats", "-q", "--jsonl", "-l", "0", "-H", "0", *options,
                        "--shard", "0/1", "-o", path], input=LINES.encode(), check=True)
        return path.read_bytes()


def changed(data, old, new):
    n = struct.unpack("<Q", data[16:24])[0]
    head, rest = data[24:24 + n], data[24 + n:-4]
    assert old in head
    head = head.replace(old, new)
    data = data[:16] + struct.pack("<Q", len(head)) + head + rest
    return data + struct.pack("<I", zlib.crc32(data))


small = part("--compute", "entropy")
HERE.mkdir(exist_ok=True)
for name, data in {
    "small": small,
    "groups": part("--compute", "entropy,prev", "--by", "lang", "--sort", "prev"),
    "bootstrap": part("--compute", "entropy", "--bootstrap=2", "--hide", "first"),
    "reliability": part("--compute", "self", "--reliability", "--weight", "norm"),
    "no_texts": changed(small, b'"groups":[[null,3]]', b'"groups":[]'),
    "short": changed(small, b"[null,3]", b"[null,3],[null,1]"),
    "heads": changed(small, b'["decoder",0,0]', b'["decoder",0,0],["decoder",0,-1]'),
    "options": changed(small, b'"--compute","entropy"', b'"--compute","received"'),
    "help": changed(small, b'"--compute","entropy"', b'"--help"'),
}.items():
    (HERE / name).write_bytes(data)
