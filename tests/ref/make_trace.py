#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One token through all layers, by the reference library: its row and column of the attention
of each layer, and what the model predicts where it ends early.

    python3 tests/ref/make_trace.py                    writes trace/cases.json
    python3 tests/ref/make_trace.py PROGRAM FOLDER...  compares the program over models

needs what make.py needs.  The prediction after layer l is that of the model with the layers
behind l taken out of its list, or passing on what they read: the library's own norms and head
do the rest, so that none is written here.
"""
import json
import pathlib
import subprocess
import sys

import torch
import transformers as T

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-5
TOP = 5
FIXTURES = ["gpt2", "llama", "bert", "families/gemma2", "families/bloom", "families/opt_post",
            "families/gptj", "families/electra_generator", "bart", "seq2seq/t5", "families/gemma3n"]


def load(folder):
    config = T.AutoConfig.from_pretrained(folder)
    name = (config.architectures or [""])[0]
    kind = (T.AutoModelForSeq2SeqLM if config.is_encoder_decoder else
            T.AutoModelForMaskedLM if "MaskedLM" in name else T.AutoModelForCausalLM)
    return kind.from_pretrained(folder, attn_implementation="eager",
                                dtype=torch.float32).double().eval()


class Through(torch.nn.Module):
    """In place of a layer that is left out of a model that counts its layers elsewhere, too."""

    def forward(self, hidden_states, *_, **__):
        return hidden_states


def layers_of(m):
    """Where the list of layers hangs: the module and the name in it."""
    found = [(len(x), name) for name, x in m.named_modules()
             if isinstance(x, torch.nn.ModuleList) and
             (not m.config.is_encoder_decoder or "decoder" in name)]
    path = max(found, key=lambda x: x[0])[1].split(".")
    return m.get_submodule(".".join(path[:-1])), path[-1]


def trace(folder, ids, target, at):
    m = load(folder)
    inputs = {"input_ids": torch.tensor([ids])}
    if m.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = torch.tensor([target])
    out = m(**inputs, output_attentions=True, use_cache=False)
    own = out.decoder_attentions if target else out.attentions
    found = {"row": [x[0, :, at].mean(0).tolist() for x in own],
             "column": [x[0, :, :, at].mean(0).tolist() for x in own], "top": []}
    if target:
        found["cross"] = [x[0, :, at].mean(0).tolist() for x in out.cross_attentions]
    holder, name = layers_of(m)
    every = getattr(holder, name)
    counted = hasattr(m.config, "altup_num_inputs")
    for n in range(len(every) + 1):
        setattr(holder, name, torch.nn.ModuleList(
            [*every[:n], *(Through() for _ in every[n:])]) if counted else every[:n])
        for c in () if counted else (m.config, getattr(holder, "config", m.config)):
            c.num_hidden_layers = n
        p = m(**inputs, use_cache=False).logits[0, at].softmax(-1)
        best = p.topk(TOP)
        found["top"].append([[i, x] for i, x in zip(best.indices.tolist(), best.values.tolist())])
    return found


def rounded(x):
    return [rounded(y) for y in x] if isinstance(x, list) else \
        round(x, 9) if isinstance(x, float) else x


def case(model, folder):
    config = T.AutoConfig.from_pretrained(folder)
    V = config.get_text_config().vocab_size
    ids, target = [i % V for i in (2, 17, 40, 9, 33, 5, 3)], []
    if config.is_encoder_decoder:
        target = [i % V for i in (2, 11, 30, 7)]
    with torch.no_grad():
        found = trace(folder, ids, target, 2)
    args = ["--ids", ",".join(map(str, ids)), "--at", "2"]
    if target:
        args += ["--decoder-ids", ",".join(map(str, target)), "-s", "decoder"]
    return {"model": model, "args": args, **{k: rounded(v) for k, v in found.items()}}


def far(x, y):
    return max((abs(a - b) for xs, ys in zip(x, y, strict=True)
                for a, b in zip(xs, ys, strict=True)), default=0)


def compare(program, folder):
    c = case(folder.name, folder)
    got = json.loads(subprocess.run(
        [program, "trace", "--json", "--top", "50", "-m", folder, *c["args"]], check=True,
        capture_output=True, text=True).stdout)["layers"]
    off = max(far(c[k], [x[k] for x in got[1:]]) for k in ("row", "column"))
    p = [{x["id"]: x["probability"] for x in layer["predictions"]} for layer in got]
    lens = max(abs(q - of.get(i, 0)) for top, of in zip(c["top"], p, strict=True)
               for i, q in top)
    print(f"{folder.name}: weights within {off:.1e}, predictions within {lens:.1e}")
    return max(off, lens) <= TOLERANCE


if len(sys.argv) > 1:
    results = [compare(sys.argv[1], pathlib.Path(f)) for f in sys.argv[2:]]
    sys.exit(0 if results and all(results) else 1)
cases = [case(model, HERE / model) for model in FIXTURES]
(HERE / "trace").mkdir(exist_ok=True)
(HERE / "trace" / "cases.json").write_text(
    "[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
