#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Direct logit attribution by PyTorch's gradients, with hooks on the reference library.

    python3 tests/ref/make_attribute.py                    writes attribute/cases.json
    python3 tests/ref/make_attribute.py PROGRAM FOLDER...  compares the program over models

needs what make.py needs.  Every norm divides by the scale that it has in the run, detached;
what the mlps read, and what the output projections of attentions read, is detached too: then
the logit is linear in what each head hands to its projection, z, and the direct attribution of
a head is z times its gradient.  Of a token: its weight times its value times that gradient.
The norms after a projection (gemma2, olmo2), those after a sum (opt_post, bart), the factor
of t5's logits, parallel layers: the library's own code runs, so none is written here.
"""
import json
import pathlib
import subprocess
import sys

import torch
import transformers as T

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-4                        # of the largest number of a table
PROJECTIONS = ("c_proj", "o_proj", "out_proj", "o", "dense")
FIXTURES = ["gpt2", "llama", "families/gemma2", "families/olmo2", "families/opt_post",
            "families/gptj", "families/gpt_neox", "families/mistral", "families/granite", "bart",
            "seq2seq/t5"]


def frozen_norm(m):
    """A norm whose scale is the run's: the gradient does not pass through it."""
    kind = type(m).__name__
    eps = next(getattr(m, k) for k in ("variance_epsilon", "eps", "epsilon") if hasattr(m, k))
    gain = 1 + m.weight if kind.startswith("Gemma") else m.weight
    centred = "RMS" not in kind and kind != "T5LayerNorm"

    def forward(x):
        x = x - x.mean(-1, keepdim=True) if centred else x
        y = x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps).detach() * gain
        return y + m.bias if centred and m.bias is not None else y
    return forward


def is_norm(m):
    return isinstance(m, torch.nn.LayerNorm) or type(m).__name__.endswith(("RMSNorm", "T5LayerNorm"))


class Attribution:
    def __init__(self, folder):
        config = T.AutoConfig.from_pretrained(folder)
        kind = T.AutoModelForSeq2SeqLM if config.is_encoder_decoder else T.AutoModelForCausalLM
        self.m = kind.from_pretrained(folder, attn_implementation="eager",
                                      dtype=torch.float32).double().eval()
        self.pair = config.is_encoder_decoder
        # Rotary tables are float32 in the library, also here.
        self.z, self.v, self.logits = {}, {}, None
        for name, m in self.m.named_modules():
            if is_norm(m):
                m.forward = frozen_norm(m)
            self.hook(name, m)

    def hook(self, name, m):
        """Of the modules of a layer, by the names that the library gives them."""
        parts = name.split(".")
        last, rest = parts[-1], ".".join(parts[:-1])
        inside = any("att" in p.lower() for p in parts[-2:-1])
        if "encoder" in parts:
            return
        if inside and last in PROJECTIONS:
            m.register_forward_pre_hook(self.leaf(rest))
        elif inside and last in ("v_proj", "v", "c_attn", "query_key_value"):
            m.register_forward_hook(self.values(rest, last))
        elif last in ("mlp", "fc1", "DenseReluDense", "block_sparse_moe"):
            m.register_forward_pre_hook(lambda _, a: (a[0].detach(), *a[1:]))
        elif name == "lm_head" or last in ("lm_head", "embed_out"):
            m.register_forward_hook(self.keep_logits)

    def leaf(self, name):
        def pre(_, args):
            self.z[name] = args[0].detach().requires_grad_()
            return (self.z[name], *args[1:])
        return pre

    def values(self, name, last):
        def post(_, args, out):
            self.v[name] = (out if last in ("v_proj", "v") else
                            out.chunk(3, -1)[2] if last == "c_attn" else out, last)
        return post

    def keep_logits(self, _, args, out):
        self.logits = out / getattr(self.m.config, "logits_scaling", 1)     # granite

    def heads(self, name, attention, at, grad):
        """dla [H] and dla_sources [H, S] of an attention."""
        H, z = attention.shape[1], self.z[name][0, at]
        dla = (z * grad).view(H, -1).sum(-1)
        v, last = self.v[name]
        v = v[0]
        if last == "query_key_value":
            v = v.view(len(v), H, 3, -1)[:, :, 2]
        else:
            v = v.view(len(v), -1, z.shape[-1] // H)
            v = v.repeat_interleave(H // v.shape[1], 1)
        sources = attention[0, :, at] * torch.einsum("shd,hd->hs", v, grad.view(H, -1))
        assert (sources.sum(-1) - dla).abs().max() < 1e-9 * max(1, dla.abs().max()), name
        return dla, sources

    def run(self, ids, target, at, answer, against):
        inputs = {"input_ids": torch.tensor([ids])}
        if self.pair:
            inputs["decoder_input_ids"] = torch.tensor([target])
        out = self.m(**inputs, output_attentions=True, use_cache=False)
        logits = self.logits[0, at]
        bias = getattr(self.m, "final_logits_bias", None)
        full = logits + bias[0] if bias is not None else logits
        y = logits[answer] - (logits[against] if against is not None else 0)
        names = list(self.z)
        grads = torch.autograd.grad(y, [self.z[n] for n in names], allow_unused=True)
        own, cross = [], []
        weights = {False: list(out.decoder_attentions if self.pair else out.attentions),
                   True: list(out.cross_attentions) if self.pair else []}
        for name, grad in zip(names, grads):
            crosses = any(s in name for s in ("encoder_attn", "EncDecAttention"))
            attention = weights[crosses].pop(0)
            (cross if crosses else own).append(self.heads(name, attention, at, grad[0, at]))
        wanted = full[answer] - (full[against] if against is not None else 0)
        return {"logit": float(wanted.detach()), "order": full.argsort(descending=True)[:2].tolist(),
                "own": own, "cross": cross}


def numbers(found):
    """As the program prints them: by layer, own heads and then cross ones."""
    out = {"dla": [], "dla_sources": []}
    for l in range(len(found["own"])):
        for kind in "own", "cross":
            for dla, sources in found[kind][l:l + 1]:
                out["dla"] += dla.tolist()
                out["dla_sources"] += sources.tolist()
    return out


def case(model, folder, ids, target, at, answer, against):
    a = Attribution(folder)
    if answer is None:
        answer, against = a.run(ids, target, at, 0, 1)["order"]
    found = a.run(ids, target, at, answer, against)
    args = ["--ids", ",".join(map(str, ids)), "--at", str(at % len(target or ids)),
            "--answer-id", str(answer)]
    if against is not None:
        args += ["--against-id", str(against)]
    if target:
        args += ["--decoder-ids", ",".join(map(str, target))]
    return {"model": model, "args": args, "logit": found["logit"], **numbers(found)}


def compare(program, case, folder):
    out = subprocess.run([program, "attribute", "--json", "--sources", "-q", "-m", folder,
                          *case["args"]], capture_output=True, text=True, check=True).stdout
    found = json.loads(out)
    off = abs(found["logit"] - case["logit"]) / max(abs(case["logit"]), 1)
    for key in "dla", "dla_sources":
        got = torch.tensor(sum(([h[key]] if key == "dla" else h[key] for h in found["heads"]), []))
        want = torch.tensor(case[key] if key == "dla" else sum(case[key], []))
        assert got.shape == want.shape, (folder, key, got.shape, want.shape)
        off = max(off, float((got - want).abs().max() / want.abs().max()))
    print(f"{folder}: within {off:.1e} of the largest (want {TOLERANCE})")
    return off <= TOLERANCE


def main(args):
    torch.manual_seed(0)
    if args:
        good = True
        for folder in args[1:]:
            run = json.load(open(f"{folder}/expected.json"))["runs"][0]
            target = run.get("decoder_input_ids")
            for answer, against in ((None, None), (7, None)):
                c = case("", folder, run["input_ids"], target, -1, answer, against)
                good = compare(args[0], c, folder) and good
        sys.exit(not good)
    cases = []
    for name in FIXTURES:
        target = [2, 17, 40, 9] if T.AutoConfig.from_pretrained(HERE / name).is_encoder_decoder else None
        for at, answer, against in ((-1, None, None), (2, 7, None)):
            cases.append(case(name, HERE / name, [2, 17, 40, 9, 33, 5, 3, 17, 40], target, at,
                              answer, against))
    (HERE / "attribute").mkdir(exist_ok=True)
    with open(HERE / "attribute" / "cases.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
