#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz target stream beside this file: what --hidden-out writes of a few
lines, and streams that are wrong in one way.  Its argument is the program."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent / "stream"
REF = HERE.parents[2] / "ref"
LINES = "the key\nin the door\n"
IDS = '{"ids":[3,4,5]}\n'


def stream_of(model, lines, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "part"
        return subprocess.run([sys.argv[1], "stats", "-q", "-m", REF / model, "-l", "0",
                               "--hidden-out", "-", "-o", path, *options],
                              input=lines.encode(), check=True, stdout=subprocess.PIPE).stdout


def changed(data, old, new):
    """Every block's JSON with new in place of old, and with checksums that fit."""
    out, at = data[:24], 24
    while at < len(data):
        n = struct.unpack_from("<Q", data, at)[0]
        text = data[at + 8:at + 8 + n].replace(old, new)
        at += 8 + n
        n = struct.unpack_from("<Q", data, at)[0]
        block = struct.pack("<Q", len(text)) + text + data[at:at + 8 + n]
        out += block + struct.pack("<I", zlib.crc32(block))
        at += 8 + n + 4
    assert out != data
    return out


bert = stream_of("bert", LINES)
HERE.mkdir(exist_ok=True)
for name, data in {
    "bert": bert,
    "rare": stream_of("bert", LINES, "--metric", "all", "--merge", "words", "--words"),
    "global": stream_of("families/longformer", IDS, "--jsonl"),
    "two_streams": stream_of("families/reformer", IDS, "--jsonl"),
    "layer": changed(bert, b'"layer":1', b'"layer":0'),
    "width": changed(bert, b'"width":', b'"width":1'),
    "streams": changed(bert, b'"streams":1', b'"streams":2'),
    "types": changed(bert, b'"type":[0,', b'"type":['),
    "labels": changed(bert, b'"label":[', b'"label":[9'),
    "end": changed(bert, b'"checksum":"', b'"checksum":"x'),
    "none": changed(bert, b'"id":[', b'"ids":['),
}.items():
    (HERE / name).write_bytes(data)
