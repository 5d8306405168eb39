# SPDX-License-Identifier: MIT
"""What a file says of the run that wrote it: `metadata.py FILE KEY` prints the value."""
import html.parser
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib

KEY = r"^(Software|mha-viz:[a-z0-9-]+): "


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
        parts = re.split(KEY, text.text, flags=re.M)
        for key, value in zip(parts[1::2], parts[2::2]):
            yield key, value[:-1]


def of_pdf(_):
    told = subprocess.run(["pdfinfo", "-enc", "UTF-8", path], check=True, capture_output=True,
                          text=True).stdout
    parts = re.split(r"^(Title|Subject|Keywords|Creator|Producer): +", told, flags=re.M)
    found = {key: value[:-1] for key, value in zip(parts[1::2], parts[2::2])}
    names = {"Creator": "Software", "Subject": "mha-viz:command", "Title": "Title"}
    for name in names.keys() & found.keys():
        yield names[name], found[name]
    parts = re.split(r"(?:^|; )(mha-viz:[a-z0-9-]+): ", found.get("Keywords", ""))
    yield from zip(parts[1::2], parts[2::2])


class Head(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "meta" and "name" in attrs:
            name = "Software" if attrs["name"] == "generator" else attrs["name"]
            self.found.append((name, attrs["content"]))


def of_html(data):
    return Head(data.split(b"<style>")[0].decode()).found


def of_npz(_):
    with zipfile.ZipFile(path) as archive:
        if "provenance.npy" not in archive.namelist():
            return
        member = archive.read("provenance.npy")
    size, = struct.unpack("<H", member[8:10])
    run = json.loads(member[10 + size:].decode("utf-32-le"))
    yield "Software", run.pop("program")
    for model in run.pop("models"):
        yield "mha-viz:model", f"{model['name']} ({model['family']}, {model['hash']})"
    for key, value in run.items():
        yield f"mha-viz:{key}", value


def of_safetensors(data):
    size, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size])["__metadata__"].items()


READERS = {"png": of_png, "svg": of_svg, "pdf": of_pdf, "html": of_html, "npz": of_npz,
           "safetensors": of_safetensors}
path, wanted = sys.argv[1:]
with open(path, "rb") as file:
    content = file.read()
said = dict(READERS[path.rsplit(".", 1)[1]](content))
if wanted not in said:
    sys.exit(f"{path}: no {wanted}, found {', '.join(said) or 'nothing'}")
sys.stdout.write(said[wanted])
