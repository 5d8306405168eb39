#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes stability/cases.json: what the reference library gives under noise.

    python3 tests/ref/make_stability.py

needs what make.py needs.  A case is a command line of `mha-viz stability --json` and the
numbers that it is to print.  Noise is torch.randn's, on the embeddings that the library takes
as inputs_embeds; divergences are of its attentions, in float64.
"""
import json
import pathlib

import torch
import transformers as T

HERE = pathlib.Path(__file__).parent
IDS = [2, 17, 40, 9, 33, 5, 3]
RUNS, SIGMA = 4, 0.01
CASES = []


def change(y0, ys):
    v = [float(((y - y0).double() ** 2).mean()) for y in ys]
    mean = sum(v) / len(v)
    return {"mean_variance": mean, "max_variance": max(v),
            "relative": mean / float(y0.double().var(unbiased=False))}


def js(p, q):
    m = (p + q) / 2
    terms = torch.special.xlogy(p, p / m) + torch.special.xlogy(q, q / m)
    return float((terms.nan_to_num() / 2).sum(-1).mean())


def silence(layer_out, width, keep):
    """Zeroes what all heads but one hand to the output projection."""
    def hook(module, args):
        z = args[0].clone()
        z[..., :keep * width] = 0
        z[..., (keep + 1) * width:] = 0
        return (z, *args[1:])
    return layer_out.register_forward_pre_hook(hook)


def run(forward, embeds, noise):
    return [forward(embeds)] + [forward(embeds + n) for n in noise]


def case(name, kind, outputs, seed=1, relative=False):
    m = kind.from_pretrained(HERE / name, attn_implementation="eager", dtype=torch.float32).eval()
    config = m.config
    embeds = m.get_input_embeddings()(torch.tensor([IDS]))
    torch.manual_seed(seed)
    sigma = SIGMA * (float(embeds.double().pow(2).mean().sqrt()) if relative else 1)
    noise = [torch.randn_like(embeds) * sigma for _ in range(RUNS)]

    def forward(x):
        return m(inputs_embeds=x, output_attentions=True)

    def states(all_runs):
        return [o.last_hidden_state for o in all_runs]

    with torch.no_grad():
        base = run(forward, embeds, noise)
        y = states(base)
        heads = []
        for l in range(len(base[0].attentions)):
            a = [o.attentions[l][0].double() for o in base]
            for h in range(a[0].shape[0]):
                width = config.hidden_size // a[0].shape[0]
                hook = silence(outputs(m, l), width, h)
                alone = states(run(forward, embeds, noise))
                hook.remove()
                heads.append({
                    "layer": l, "head": h,
                    "js": sum(js(a[0][h], r[h]) for r in a[1:]) / RUNS,
                    "links_kept": sum(float((a[0][h].argmax(-1) == r[h].argmax(-1)).double().mean())
                                 for r in a[1:]) / RUNS,
                    "alone": change(alone[0], alone[1:])})
        want = change(y[0], y[1:])
    argv = ["-m", f"tests/ref/{name}", "--ids", ",".join(map(str, IDS)), "--runs", str(RUNS),
            "--noise", str(SIGMA), "--seed", str(seed), "--heads-alone"]
    CASES.append({"argv": argv + ["--relative-noise"] * relative, "want": {**want, "heads": heads}})


def main():
    def bert(m, l):
        return m.encoder.layer[l].attention.output.dense

    def gpt2(m, l):
        return m.h[l].attn.c_proj

    case("bert", T.BertModel, bert)
    case("bert", T.BertModel, bert, seed=7, relative=True)
    case("gpt2", T.GPT2Model, gpt2)
    (HERE / "stability" / "cases.json").write_text(json.dumps(CASES, indent=1) + "\n")


if __name__ == "__main__":
    main()
