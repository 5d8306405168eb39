#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes quantised/: what `--dtype int8|q8_0|q5_0|q4_0` is to compute.

    python3 tests/ref/make_quantised.py

needs what make.py needs, gguf and torchao 0.18.0.  values.npz has rows of weights and what the
gguf package's quantiser leaves of them, and a linear as torchao computes it.  cases.json holds
command lines of `mha-viz export`, with NAME.npz beside it, of the small models that lie in the
folders: the reference library with its linears replaced.  torchao takes the range -128 .. 127
and a scale of the largest magnitude / 127.5; here its range is set to -127 .. 127.
"""
import json
import pathlib
import shutil

import gguf
import numpy as np
import torch
import transformers as T
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_
from torchao.quantization.quantize_.workflows.int8 import int8_tensor
from transformers.pytorch_utils import Conv1D

HERE = pathlib.Path(__file__).parent
OUT = HERE / "quantised"
IDS = [2, 17, 35, 9, 33, 5, 3]
BLOCKS = ("q8_0", "q5_0", "q4_0")
COMMON = dict(vocab_size=40, max_position_embeddings=16, bos_token_id=None, eos_token_id=None,
              pad_token_id=None)
SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2)
MODELS = {
    "bert": (T.BertForMaskedLM, T.BertConfig(**{**COMMON, "pad_token_id": 0}, **SMALL,
                                             intermediate_size=64)),
    "gpt2": (T.GPT2LMHeadModel, T.GPT2Config(**COMMON, n_embd=32, n_layer=2, n_head=2)),
    "mixtral": (T.MixtralForCausalLM,
                T.MixtralConfig(**COMMON, **SMALL, num_key_value_heads=1, intermediate_size=32,
                                num_local_experts=2, num_experts_per_tok=1,
                                tie_word_embeddings=True)),
}

int8_tensor._DTYPE_TO_QVALUE_BOUNDS = {torch.int8: (-127, 127)}


def blocks(w, kind):
    """Rows of 32 k weights as the gguf package writes and reads them."""
    kind = getattr(gguf.GGMLQuantizationType, kind.upper())
    w = np.ascontiguousarray(w, dtype=np.float32)
    return gguf.quants.dequantize(gguf.quants.quantize(w, kind), kind).reshape(w.shape)


def linears(model):
    """Conv1D becomes the linear that it is; a tied head gets weights of its own."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, Conv1D):
                linear = torch.nn.Linear(*child.weight.shape)
                linear.weight.data = child.weight.data.T.clone()
                linear.bias.data = child.bias.data.clone()
                setattr(module, name, linear)
            elif isinstance(child, torch.nn.Linear):
                child.weight = torch.nn.Parameter(child.weight.data.clone())
    return [m for m in model.modules() if isinstance(m, torch.nn.Linear)]


def quantise(model, kind):
    """Also experts, which hold their matrices as parameters [experts, out, in]."""
    found = [m.weight for m in linears(model)]
    found += [p for n, p in model.named_parameters() if "experts" in n]
    if kind == "int8":
        quantize_(model, Int8DynamicActivationInt8WeightConfig())
        return
    for w in found:
        w.data = torch.tensor(blocks(w.detach().numpy(), kind))


def run(name, kind):
    cls = MODELS[name][0]
    model = cls.from_pretrained(OUT / name, attn_implementation="eager", dtype=torch.float32,
                                experts_implementation="eager").eval()
    quantise(model, kind)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([IDS]), output_attentions=True)
    arrays = {f"attn.{l}": a[0].numpy() for l, a in enumerate(out.attentions)}
    case = f"{name}_{kind}"
    with open(OUT / f"{case}.npz", "wb") as f:
        np.savez(f, logits=out.logits[0].numpy(), **arrays)
    return {"name": case, "argv": ["-m", f"tests/ref/quantised/{name}", "--logits", "--dtype",
                                   kind, "--ids", ",".join(map(str, IDS))]}


def write_model(name):
    cls, config = MODELS[name]
    torch.manual_seed(7)
    model = cls(config)
    for p in model.parameters():
        p.data = (torch.randn(p.shape) * (0.35 if p.dim() > 1 else 0.1)).half().float()
        if p.dim() == 1:
            p.data += 1
    for n, p in model.named_parameters():
        if n.endswith("bias"):
            p.data -= 1
    (OUT / name).mkdir()
    model.half().save_pretrained(OUT / name)
    (OUT / name / "generation_config.json").unlink(missing_ok=True)


def rows():
    """Ordinary rows, and those where quantisers differ: ties, zeros, both signs, f16's ends."""
    g = np.random.default_rng(3)
    x = g.standard_normal((12, 64)).astype(np.float32)
    x[0, :32] = 0
    x[1] = np.arange(64) / 8 - 4                # ties of all three
    x[2, 5], x[2, 20] = -6, 6                   # the first of two counts
    x[3] *= 1e-6                                # a scale that f16 has as a subnormal
    x[4] *= 1e-39                               # one that f16 has not
    x[5] *= 1e4
    x[6, 40:] = 0
    x[7] = np.float32(0.1)
    x[8, :] = -x[7, :]
    return x


def write_values():
    x = rows()
    arrays = {"x": x, **{kind: blocks(x, kind) for kind in BLOCKS}}
    torch.manual_seed(5)
    linear = torch.nn.Linear(520, 5)
    a = torch.randn(9, 520) * torch.logspace(-4, 4, 9)[:, None]
    a[4] = 0
    linear.weight.data[3] = 0
    arrays |= {"a": a.numpy(), "w": linear.weight.detach().numpy().copy(),
               "bias": linear.bias.detach().numpy().copy()}
    quantize_(linear, Int8DynamicActivationInt8WeightConfig())
    with torch.no_grad():
        arrays["y"] = linear(a).numpy()
    with open(OUT / "values.npz", "wb") as f:
        np.savez(f, **arrays)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    write_values()
    cases = []
    for name in MODELS:
        write_model(name)
        # torchao has no experts
        cases += [run(name, kind) for kind in (*BLOCKS, "int8")
                  if (name, kind) != ("mixtral", "int8")]
    (OUT / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
