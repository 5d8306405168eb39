# SPDX-License-Identifier: MIT
"""A transformers model + the "mha_viz" part of its config.json -> a folder with float16 weights, as it is shipped."""
import json
import os

FILES = ("config.json", "tokenizer.json", "model.safetensors")


def dump(path, value, **form):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False, **form)
        f.write("\n")


def write_tokeniser(tok, folder):
    """Under its name only when it is whole."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "tokenizer.json")
    dump(path + ".new", json.loads(tok.to_str()), separators=(",", ":"))
    os.replace(path + ".new", path)


def size(folder):
    return sum(os.path.getsize(os.path.join(folder, f)) for f in FILES)


def write_model(net, card, folder, most):
    """-> the bytes of the folder, at most `most`; the tokeniser is there already"""
    net.half().save_pretrained(folder)
    os.chmod(os.path.join(folder, "model.safetensors"), 0o644)
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as f:
        config = json.load(f)
    dump(path, {**config, "mha_viz": card}, indent=2)
    assert size(folder) <= most, size(folder)
    return size(folder)
