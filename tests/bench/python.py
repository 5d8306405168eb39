#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module mha_viz beside BertViz, inseq and TransformerLens for the same tasks: lines of code,
seconds and memory.

    python.py LIBRARY [--environment FOLDER] [--runs N] [TASK ...]

LIBRARY is libmhaviz.so.0.  Each peer is installed into a virtual environment in FOLDER (default:
one that is deleted), over this interpreter's packages, which has torch, transformers and NumPy;
what does not run says why.  The model has the shape of GPT-2 small but for its vocabulary, and
random weights, and lies in a cache of Hugging Face, so that each side opens it by its name and
no model is downloaded.

A side is the few lines that a user would write.  It runs in a process of its own, its imports and
the opening of the model included: seconds of the clock with two threads, the least of N runs
(default 3) in turn, and the peak of memory, pages of the model's file included.  Of these seconds
`work` are those after the model was opened.  Where what it found differs from the last side of the
task by more than 1e-4, no time counts; inseq has the attention of the last token, the others that
of all.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import generation

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-4
PEERS = {"BertViz": "bertviz", "inseq": "inseq", "TransformerLens": "transformer-lens"}
NAME = "openai-community/gpt2"
TEXT = "the key is in the room and the door is on the wall of the house by the river"


class Side(NamedTuple):
    name: str
    opening: str        # lines that import and open the model
    work: str           # lines that do the task; `found` is what is compared


MHA_VIZ = "import mha_viz\nmodel = mha_viz.Model('openai-community/gpt2')"
LENS = """\
from transformer_lens import TransformerBridge
model = TransformerBridge.boot_transformers('gpt2')"""
PLAIN = """\
import torch
from transformers import AutoModel, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained('openai-community/gpt2')
model = AutoModel.from_pretrained('openai-community/gpt2', attn_implementation='eager')"""
RUN = """\
inputs = tokenizer(text, return_tensors='pt')
with torch.no_grad():
    attention = model(**inputs, output_attentions=True).attentions
"""
TASKS = {
    "attention of every head as arrays": [
        Side("mha_viz", MHA_VIZ, "found = list(model.attention(text).rows['decoder'].values())"),
        Side("TransformerLens", LENS, """\
logits, cache = model.run_with_cache(text, prepend_bos=False)
found = [cache['pattern', layer][0] for layer in range(model.cfg.n_layers)]"""),
        Side("inseq", """\
import inseq
model = inseq.load_model('openai-community/gpt2', 'attention')""", """\
made = model.attribute(text, text + ' the', show_progress=False)
found = made.sequence_attributions[0].target_attributions[:-1, 0].permute(1, 2, 0)"""),
        Side("transformers", PLAIN, RUN + "found = [layer[0] for layer in attention]"),
    ],
    "a view of every head for a notebook": [
        Side("mha_viz", MHA_VIZ, "page = model.report(text)\nopen('page.html', 'w').write(page)"),
        Side("BertViz", PLAIN + "\nfrom bertviz import model_view", RUN + """\
tokens = tokenizer.convert_ids_to_tokens(inputs['input_ids'][0])
page = model_view(attention, tokens, html_action='return')
open('page.html', 'w').write(page.data)"""),
    ],
    "entropy of every head": [
        Side("mha_viz", MHA_VIZ, "found = [head['entropy'] for head in model.stats(text)]"),
        Side("TransformerLens", LENS, """\
logits, cache = model.run_with_cache(text, prepend_bos=False)
found = []
for layer in range(model.cfg.n_layers):
    rows = cache['pattern', layer][0]
    found += (-(rows * rows.clamp_min(1e-30).log()).sum(-1).mean(-1)).tolist()"""),
        Side("transformers", PLAIN, RUN + """\
found = []
for layer in attention:
    found += (-(layer * layer.clamp_min(1e-30).log()).sum(-1).mean(-1))[0].tolist()"""),
    ],
    "what each head is worth: the change of the loss without it": [
        Side("mha_viz", MHA_VIZ, "found = [head['dloss'] for head in model.ablate(text)]"),
        Side("TransformerLens", LENS, """\
tokens = model.to_tokens(text, prepend_bos=False)
whole = model(tokens, return_type='loss').item()
found = []
for layer in range(model.cfg.n_layers):
    for head in range(model.cfg.n_heads):
        def silence(z, hook, head=head):
            z[:, :, head] = 0
            return z
        hooks = [(f'blocks.{layer}.attn.hook_z', silence)]
        loss = model.run_with_hooks(tokens, return_type='loss', fwd_hooks=hooks).item()
        found.append(loss - whole)"""),
    ],
}
WRAP = """\
import json, resource, sys, time
start = time.perf_counter()
text = {text!r}
found = None
{opening}
opened = time.perf_counter()
{work}
end = time.perf_counter()
import numpy
def plain(x):
    return numpy.asarray(getattr(x, 'detach', lambda: x)()).tolist()
json.dump({{"whole": end - start, "work": end - opened,
           "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
           "found": None if found is None else [plain(x) for x in found]}}, open({out!r}, "w"))
"""


# ---- where they run ----

def make_model(cache):
    """GPT-2 small with random weights and a small vocabulary, under its names in a cache."""
    import torch
    import transformers
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(ROOT / "tests" / "ref" / "gpt2" / "tokenizer.json"),
        bos_token="<|endoftext|>", eos_token="<|endoftext|>", pad_token="<|endoftext|>")
    torch.manual_seed(1)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0, initializer_range=0.1))
    for name in (NAME, "gpt2"):
        folder = cache / "hub" / ("models--" + name.replace("/", "--"))
        (folder / "refs").mkdir(parents=True)
        (folder / "refs" / "main").write_text("1" * 40)
        model.save_pretrained(folder / "snapshots" / ("1" * 40))
        tokenizer.save_pretrained(folder / "snapshots" / ("1" * 40))


def make_environment(folder, package):
    """A peer beside this interpreter's packages: its interpreter, and its version."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        (site,) = folder.glob("lib/python3*/site-packages")
        beside = [p for p in sys.path if p.endswith("site-packages")]
        (site / "beside.pth").write_text("\n".join(beside) + "\n", encoding="utf-8")
        subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=False)
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    made = subprocess.run([str(python), "-c", code, package], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return python, made.stdout.strip() or "not installed"


# ---- one side ----

def run(side, pythons, work, environment):
    """Its seconds, memory and what it found; a string: why it did not run."""
    out = str(work / "out.json")
    script = WRAP.format(text=TEXT, opening=side.opening, work=side.work, out=out)
    made = subprocess.run([str(pythons.get(side.name, sys.executable)), "-c", script], cwd=work,
                          env=environment, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    if made.returncode != 0:
        return made.stderr.strip().splitlines()[-1][:200]
    return json.loads(pathlib.Path(out).read_text())


def difference(a, b):
    import numpy
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.ndim == b.ndim - 1:            # of the last token alone
        b = b[..., -1, :]
    return float("inf") if a.shape != b.shape else float(abs(a - b).max())


def lines_of(side):
    return len([line for line in (side.opening + "\n" + side.work).splitlines() if line.strip()])


def measure(task, sides, pythons, work, environment, runs):
    """Rows of the table: side, lines, seconds, of them work, MiB, note."""
    found = {side.name: [] for side in sides}
    for _ in range(runs):
        for side in sides:
            if not found[side.name] or not isinstance(found[side.name][-1], str):
                found[side.name].append(run(side, pythons, work, environment))
    best = {name: made[-1] if isinstance(made[-1], str) else min(made, key=lambda m: m["whole"])
            for name, made in found.items()}
    reference = next((best[side.name]["found"] for side in sides[::-1]
                      if not isinstance(best[side.name], str)), None)
    rows = []
    for side in sides:
        one = best[side.name]
        if isinstance(one, str):
            rows.append((task, side.name, lines_of(side), "-", "-", "-", f"did not run: {one}"))
            continue
        note = ""
        if one["found"] is not None and one["found"] is not reference:
            off = difference(one["found"], reference)
            note = f"equal to {off:.0e}" if off <= TOLERANCE else f"WRONG: differs by {off:.0e}"
        times = ("-", "-", "-") if note.startswith("WRONG") else \
            (f"{one['whole']:.2f}", f"{one['work']:.2f}", f"{one['mib']:.0f}")
        rows.append((task, side.name, lines_of(side), *times, note))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--environment")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("task", nargs="*", help="words of a task's name")
    args = parser.parse_intermixed_args()
    chosen = [t for t in TASKS if not args.task or any(word in t for word in args.task)]
    if not chosen or args.runs < 1:
        parser.error("no such task, or no runs")
    with tempfile.TemporaryDirectory() as temp:
        work = pathlib.Path(temp)
        kept = pathlib.Path(args.environment or work / "environment").resolve()
        pythons, versions = {}, {}
        for name, package in PEERS.items():
            pythons[name], versions[name] = make_environment(kept / name, package)
        make_model(work / "cache")
        environment = os.environ | {
            "HF_HOME": str(work / "cache"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2",
            "TOKENIZERS_PARALLELISM": "false", "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": str(ROOT / "src" / "python"),
            "MHA_VIZ_LIBRARY": os.path.realpath(args.library)}
        base = {p: importlib.metadata.version(p) for p in ("torch", "transformers")}
        print("# " + "; ".join(f"{p} {v}" for p, v in (base | versions).items()))
        print(f"# {generation.processor()}, {os.cpu_count()} processors, Python "
              f"{platform.python_version()}; load {' '.join(f'{x:.1f}' for x in os.getloadavg())}; "
              f"{time.strftime('%Y-%m-%d')}")
        print("\t".join(("task", "side", "lines", "seconds", "work", "MiB", "note")), flush=True)
        good = True
        for task in chosen:
            for row in measure(task, TASKS[task], pythons, work, environment, args.runs):
                good &= not row[-1].startswith("WRONG")
                print("\t".join(map(str, row)), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
