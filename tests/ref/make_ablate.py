#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ablation of heads and activation patching by PyTorch hooks on the reference library.

    python3 tests/ref/make_ablate.py                    writes ablate/cases.json, patch.json
    python3 tests/ref/make_ablate.py PROGRAM FOLDER...  compares the program over models

needs what make.py needs.  In double.  A hook before the output projection of an attention
replaces the part of its input that is one head's output; what stands there instead is 0, the
mean over all rows of all texts, or over the texts at the same position, the output in another text, or the mean of the values that a
row sees.  The direct effect is the gradient of the loss as make_attribute.py has it: every norm
divides by the scale that it has in the run, and mlps and attentions pass nothing on; where
streams are mixed there is none.
"""
import json
import pathlib
import re
import subprocess
import sys

import torch
import transformers as T

import make_attribute

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-4                        # of the largest number of a table
PROJECTIONS = re.compile(r"(c_proj|o_proj|out_proj|out_lin|dense)$")
VALUES = re.compile(r"(v_proj|v_lin|value|c_attn)$")
TEXTS = [[12, 17, 40, 9, 33, 5, 31, 17, 40], [8, 21, 9, 40, 40, 11, 7, 30, 19]]
TARGET = [2, 17, 40, 9]
MASK = 6
AT, ANSWER, AGAINST = -2, 7, 9           # of patching
PATCHED = ["gpt2", "llama", "bert", "bart"]
CASES = [("gpt2", "zero mean mean-by-position resample uniform"),
         ("llama", "zero mean mean-by-position resample uniform"),
         ("bert", "zero mean resample uniform"),
         ("families/distilbert", "zero mean resample uniform"), ("bart", "zero mean uniform"),
         ("families/gemma3n", "zero mean")]


class Ablation:
    def __init__(self, folder):
        config = T.AutoConfig.from_pretrained(folder)
        name = (config.architectures or ["Model"])[0]
        self.pair = config.is_encoder_decoder
        self.measure = "next" if self.pair else \
            "hidden" if name.endswith("Model") and "LMHead" not in name else \
            "masked" if "MaskedLM" in name else "next"
        kind = T.AutoModelForSeq2SeqLM if self.pair else \
            {"hidden": T.AutoModel, "masked": T.AutoModelForMaskedLM,
             "next": T.AutoModelForCausalLM}[self.measure]
        self.folder = folder
        self.m = kind.from_pretrained(folder, attn_implementation="eager",
                                      dtype=torch.float32).double().eval()
        self.z, self.v, self.replace = {}, {}, None
        self.sites = []                 # (stack, layer, name of the attention)
        for name, m in self.m.named_modules():
            parts = name.split(".")
            if not any("att" in p for p in parts[-3:-1]):
                continue
            owner = re.sub(r"\.(self|output)$", "", ".".join(parts[:-1]))
            if PROJECTIONS.search(name):
                self.sites.append((self.stack(name), self.layer(name), owner))
                m.register_forward_pre_hook(self.output(owner))
            elif VALUES.search(name):
                m.register_forward_hook(self.values(owner, parts[-1]))
        self.sites.sort(key=lambda s: (s[0] != "encoder", s[1], s[0] == "cross"))
        text = config.get_text_config()
        self.heads = {"encoder": getattr(config, "encoder_attention_heads", text.num_attention_heads)}
        self.heads["decoder"] = self.heads["cross"] = \
            getattr(config, "decoder_attention_heads", text.num_attention_heads)
        self.all = [(stack, layer, owner, h) for stack, layer, owner in self.sites
                    for h in range(self.heads[stack])]

    def stack(self, name):
        if "encoder_attn" in name:
            return "cross"
        if self.pair:
            return "encoder" if ".encoder." in name else "decoder"
        return "decoder" if self.measure == "next" else "encoder"

    @staticmethod
    def layer(name):
        return int(re.search(r"\.(\d+)\.", name).group(1))

    def values(self, owner, last):
        def post(_, args, out):
            self.v[owner] = (out.chunk(3, -1)[2] if last == "c_attn" else out)[0]
        return post

    def output(self, owner):
        def pre(_, args):
            self.z[owner] = args[0][0].clone()
            if self.replace is None or self.replace[2] != owner:
                return None
            return (self.changed(args[0], *self.replace), *args[1:])
        return pre

    def changed(self, z, stack, layer, owner, head, new):
        H = self.heads[stack]
        z = z.clone()
        part = z.view(*z.shape[:2], H, -1)[0, :, head]
        part[:] = new(stack, owner, part.shape) if callable(new) else new
        return z

    def uniform(self, head):
        def new(stack, owner, shape):
            v = self.v[owner].view(len(self.v[owner]), -1, shape[1])
            v = v.repeat_interleave(self.heads[stack] // v.shape[1], 1)[:, head]
            if stack != "decoder":
                return v.mean(0).expand(shape)
            return v.cumsum(0) / torch.arange(1, len(v) + 1).view(-1, 1)
        return new

    @torch.no_grad()
    def run(self, ids, target=None, replace=None):
        self.replace = replace
        inputs = {"input_ids": torch.tensor([ids])}
        if self.pair:
            inputs["decoder_input_ids"] = torch.tensor([target])
        out = self.m(**inputs)
        return out.last_hidden_state[0] if self.measure == "hidden" else out.logits[0]

    # ---- what is measured ----

    def views(self, ids, target):
        """(ids, rows, the tokens that stand there)"""
        if self.measure == "masked":
            return [(ids[:i] + [MASK] + ids[i + 1:], [i], [ids[i]]) for i in range(len(ids))]
        text = target or ids
        return [(ids, list(range(len(text) - 1)), text[1:])]

    def one(self, ids, target, site, new):
        """Of one head: sums over the rows of all views."""
        dloss = kl = n = 0
        for seen, rows, answers in self.views(ids, target):
            clean = self.run(seen, target)
            changed = self.run(seen, target, (*site, new))
            if self.measure == "hidden":
                return {"change": float((changed - clean).norm() / clean.norm())}
            p, q = clean[rows].log_softmax(-1), changed[rows].log_softmax(-1)
            at = torch.tensor(answers).view(-1, 1)
            dloss += float((p.gather(1, at) - q.gather(1, at)).sum())
            kl += float((p.exp() * (p - q)).sum())
            n += len(rows)
        return {"dloss": dloss / n, "kl": kl / n}

    def outputs(self, ids, target):
        self.run(ids, target)
        return {owner: z.clone() for owner, z in self.z.items()}

    def replacement(self, kind, outputs, before, site):
        """before: outputs in the text that stands in; None: there is none."""
        stack, _, owner, head = site
        H = self.heads[stack]

        def part(z):
            return z.view(len(z), H, -1)[:, head]
        return {"zero": lambda: 0.0, "uniform": lambda: self.uniform(head),
                "mean": lambda: torch.cat([part(o[owner]) for o in outputs]).mean(0),
                "mean-by-position":
                    lambda: torch.stack([part(o[owner]) for o in outputs]).mean(0),
                "resample": lambda: part(before[owner])}[kind]()

    # ---- the direct effect ----

    def direct(self, kind, ids, target, outputs, before):
        """[heads] null for those of an encoder."""
        a = make_attribute.Attribution(self.folder)
        inputs = {"input_ids": torch.tensor([ids])}
        if self.pair:
            inputs["decoder_input_ids"] = torch.tensor([target])
        full = a.m(**inputs, use_cache=False).logits[0]
        text = target or ids
        loss = torch.nn.functional.cross_entropy(full[:-1], torch.tensor(text[1:]))
        grads = dict(zip(a.z, torch.autograd.grad(loss, list(a.z.values()))))
        self.run(ids, target)
        out = []
        for site in self.all:
            stack, _, owner, head = site
            if self.pair and stack == "encoder":
                out.append(None)
                continue
            H, z = self.heads[stack], self.z[owner]
            z = z.view(len(z), H, -1)[:, head]
            new = self.replacement(kind, outputs, before, site)
            new = new(stack, owner, z.shape) if callable(new) else new
            grad = grads[owner][0].view(len(z), H, -1)[:, head]
            out.append(float(((new - z) * grad).sum()))
        return out


def case(model, folder, kind):
    a = Ablation(folder)
    target = TARGET if a.pair else None
    texts = TEXTS[:1] if a.pair else TEXTS
    outputs = [a.outputs(ids, target) for ids in texts]
    found = []
    for i, ids in enumerate(texts):
        before = outputs[i - 1] if i > 0 else None
        if kind == "resample" and before is None:
            found.append(None)
            continue
        rows = [a.one(ids, target, site, a.replacement(kind, outputs, before, site))
                for site in a.all]
        numbers = {key: [r[key] for r in rows] for key in rows[0]}
        if a.measure == "next" and not hasattr(a.m.config, "altup_num_inputs"):
            numbers["direct"] = a.direct(kind, ids, target, outputs, before)
        found.append(numbers)
    return {"model": model, "with": kind, "texts": texts, "target": target,
            "measure": a.measure, "names": [f"{s} L{l}H{h}" for s, l, _, h in a.all],
            "found": found}


def only(row, old, new):
    """The output of another text at this query alone."""
    def replaced(stack, owner, shape):
        z = old[owner].clone()
        z[row] = new[owner][row]
        return z
    return replaced


def patch_case(model, folder):
    """Outputs of the second text in the run of the first: (d' - d0) / (d1 - d0)."""
    a = Ablation(folder)
    target = TARGET if a.pair else None

    def difference(logits):
        return float(logits[AT, ANSWER] - logits[AT, AGAINST])

    def heads(outputs, site):
        stack, _, owner, head = site
        z = outputs[owner]
        return {owner: z.view(len(z), a.heads[stack], -1)[:, head]}
    old, new = (a.outputs(ids, target) for ids in TEXTS)
    clean, other = (a.run(ids, target) for ids in TEXTS)
    d = [difference(clean), difference(other)]
    p = clean[AT].log_softmax(-1)

    def one(site, value):
        logits = a.run(TEXTS[0], target, (*site, value))
        return ((difference(logits) - d[0]) / (d[1] - d[0]),
                float((p.exp() * (p - logits[AT].log_softmax(-1))).sum()))
    rows = [one(site, heads(new, site)[site[2]]) for site in a.all]
    at = [[one(site, only(row, heads(old, site), heads(new, site)))
           for row in range(len(old[site[2]]))] for site in a.all]
    return {"model": model, "texts": TEXTS, "target": target, "at": len(clean) + AT,
            "difference": d, "patch": [r[0] for r in rows], "kl": [r[1] for r in rows],
            "patch_at": [[r[0] for r in head] for head in at],
            "kl_at": [[r[1] for r in head] for head in at]}


def write_lines(name, cases):
    (HERE / "ablate").mkdir(exist_ok=True)
    with open(HERE / "ablate" / name, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


def write_cases():
    write_lines("patch.json", [patch_case(name, HERE / name) for name in PATCHED])
    cases = [case(name, HERE / name, kind) for name, kinds in CASES for kind in kinds.split()]
    write_lines("cases.json", cases)


def arguments(c):
    args = ["--with", c["with"], "--mask-id", str(MASK), "--masked", "100"]
    if c["target"]:
        return args + ["--ids", ",".join(map(str, c["texts"][0])),
                       "--decoder-ids", ",".join(map(str, c["target"]))], ""
    return args + ["--jsonl", "-f", "-"], "".join(json.dumps({"ids": t}) + "\n" for t in c["texts"])


def compare(program, c, folder):
    args, lines = arguments(c)
    out = subprocess.run([program, "ablate", "--json", "-q", "-m", folder, *args], input=lines,
                         capture_output=True, text=True, check=True).stdout
    off = 0
    for got, want in zip(map(json.loads, out.splitlines()), c["found"]):
        for key in want or ():
            pairs = [(h[key], w) for h, w in zip(got["heads"], want[key]) if w is not None]
            g, w = torch.tensor(pairs).T
            off = max(off, float((g - w).abs().max() / w.abs().max()))
    print(f"{folder}, {c['with']}: within {off:.1e} of the largest (want {TOLERANCE})")
    return off <= TOLERANCE


def main(args):
    torch.manual_seed(0)
    if not args:
        return write_cases()
    good = True
    for folder in args[1:]:
        for kind in "zero", "mean", "uniform":
            good = compare(args[0], case("", folder, kind), folder) and good
    sys.exit(not good)


if __name__ == "__main__":
    main(sys.argv[1:])
