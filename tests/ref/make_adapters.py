#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tiny models with an adapter of PEFT each.

    python3 tests/ref/make_adapters.py [CASE ...]

needs what make.py needs, and peft 0.21.2.  A case is a folder of adapters/: a base as
make_families.py writes it, the adapter in its folder adapter/, and in expected.json and
expected.npz what the reference library computes with the adapter merged by PEFT.
"""
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import torch
import transformers as T
from peft import LoraConfig, PeftModel, get_peft_model

from make_families import decoder, encoder, expect, gpt, ids_of, spread, store, write_config

HERE = pathlib.Path(__file__).parent

# name: class, config, the prefix that the file's tensors lose, the adapter
CASES = {
    "gpt2": (T.GPT2LMHeadModel, T.GPT2Config(**gpt(2, 16)), "transformer.",
             dict(r=3, lora_alpha=5, target_modules=["c_attn", "attn.c_proj", "wte"],
                  use_rslora=True, fan_in_fan_out=True)),
    "gpt2_dora": (T.GPT2LMHeadModel, T.GPT2Config(**gpt(2, 16)), "",
                  dict(r=2, lora_alpha=6, target_modules=["c_attn", "attn.c_proj", "wte"],
                       use_dora=True, fan_in_fan_out=True)),
    "bert": (T.BertForMaskedLM, T.BertConfig(**encoder(2, 16)), "",
             dict(r=2, lora_alpha=4, target_modules=["query", "value", "output.dense"],
                  use_dora=True, bias="lora_only")),
    "llama": (T.LlamaForCausalLM, T.LlamaConfig(**decoder(2, 1, 16)), "",
              dict(r=4, lora_alpha=3, target_modules=r".*\.(q_proj|o_proj|down_proj)",
                   rank_pattern={r"layers\.[0]\..*_proj": 2}, alpha_pattern={"o_proj": 7},
                   modules_to_save=["lm_head"])),
    # The head is adapted by itself, and is no longer the embedding that it began as.
    "llama_tied": (T.LlamaForCausalLM,
                   T.LlamaConfig(**decoder(2, 1, 8, tie_word_embeddings=True)), "",
                   dict(r=2, lora_alpha=3, target_modules=["v_proj", "lm_head"])),
    "llama_head": (T.LlamaForCausalLM, T.LlamaConfig(**decoder(2, 1, 8)), "",
                   dict(r=2, lora_alpha=3, target_modules=["v_proj", "lm_head"])),
    "gpt2_tied": (T.GPT2LMHeadModel, T.GPT2Config(**gpt(2, 8)), "transformer.",
                  dict(r=2, lora_alpha=3, target_modules=["c_attn", "wte", "lm_head"],
                       fan_in_fan_out=True)),
}


def stir(model, rng):
    """Gives every factor, and all that is saved beside them, numbers that matter."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "lora_magnitude" in name:
                p.mul_(torch.tensor(rng.uniform(.5, 1.5, p.shape)))
            elif "lora_" in name:
                p.copy_(torch.tensor(rng.normal(0, .4, p.shape)))
            elif p.requires_grad:
                p.add_(torch.tensor(rng.normal(0, .2, p.shape)))


def make(folder, name):
    kind, config, strip, adapter = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    model = kind(config)
    spread(model, sum(name.encode()))
    store(folder, model, torch.float32, strip, 1)
    write_config(folder, model, "float32", 5, None)
    tuned = get_peft_model(kind.from_pretrained(folder), LoraConfig(**adapter))
    tuned.peft_config["default"].base_model_name_or_path = ".."
    stir(tuned, rng)
    tuned.save_pretrained(folder / "adapter")
    (folder / "adapter" / "README.md").unlink(missing_ok=True)
    base = kind.from_pretrained(folder)
    if "lm_head" in adapter["target_modules"]:
        base.config.tie_word_embeddings = False
        base.lm_head.weight = torch.nn.Parameter(base.lm_head.weight.detach().clone())
    whole = PeftModel.from_pretrained(base, folder / "adapter")
    with tempfile.TemporaryDirectory() as merged:
        whole.merge_and_unload().save_pretrained(merged)
        expect(pathlib.Path(merged), name, kind,
               [ids_of(rng, 11, config.vocab_size), ids_of(rng, 6, config.vocab_size)], None, None,
               None)
        for expected in pathlib.Path(merged).glob("expected.*"):
            shutil.copyfile(expected, folder / expected.name)


def main(names):
    torch.set_num_threads(1)
    for name in names or CASES:
        folder = HERE / "adapters" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder, name)
        text = folder / "adapter" / "adapter_config.json"
        text.write_text(json.dumps(json.loads(text.read_text()), indent=1, sort_keys=True) + "\n")
        print(name, sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) // 1024, "KB")


if __name__ == "__main__":
    main(sys.argv[1:])
