# SPDX-License-Identifier: MIT
"""What a file says of the run that wrote it: `metadata.py FILE KEY` prints the value."""
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib


def of_png(data):
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"iTXt":
            key, rest = data[at + 8:at + 8 + size].split(b"\0", 1)
            packed, text = rest[0], rest[2:].split(b"\0", 2)[2]
            yield key.decode(), (zlib.decompress(text) if packed else text).decode()
        at += 12 + size


def of_svg(data):
    root = ElementTree.fromstring(data)
    text = root.find("{http://www.w3.org/2000/svg}metadata")
    if text is not None:
        # A value may have several lines; a key begins one of them.
        parts = re.split(r"^(Software|mha-viz:[a-z0-9-]+): ", text.text, flags=re.M)
        for key, value in zip(parts[1::2], parts[2::2]):
            yield key, value[:-1]


path, key = sys.argv[1:]
with open(path, "rb") as file:
    data = file.read()
found = dict((of_png if data.startswith(b"\x89PNG") else of_svg)(data))
if key not in found:
    sys.exit(f"{path}: no {key}, found {', '.join(found) or 'nothing'}")
sys.stdout.write(found[key])
