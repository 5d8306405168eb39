# SPDX-License-Identifier: MIT
"""Corpora + tokenizer.json + recipe + seed -> a trained decoder (OUT/checkpoint.pt, for package.py).

    python train.py CORPORA TOKENIZER OUT --recipe second --seed 1

Every schedule counts steps, never seconds; the same seed gives the same rows. A run that was stopped goes on from the
checkpoint in OUT and ends with the same weights as one that was not. OUT/done marks a run that has ended.
With --from FOLDER it begins with the weights of a model that package.py wrote.
"""
import argparse
import math
import os
import time

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

import corpus
import nudges
from model import Decoder
from recipes import RECIPES

SAVE_SECONDS = 600        # saving does not change the training, so this may follow the clock


def rate(recipe, step, steps):
    return recipe.rate * min(1, (step + 1) / recipe.warmup) * (.02 + .98 * .5 * (1 + math.cos(math.pi * step / steps)))


@torch.no_grad()
def held_out(model, streams, windows=16, T=256):
    out = {}
    for key, ids in streams.items():
        at = np.linspace(0, len(ids) - T, windows).astype(int)
        rows = np.stack([np.concatenate([[0], ids[i:i + T]]) for i in at])
        rows = torch.from_numpy(rows)
        out[key] = model.loss(model(rows[:, :-1])[0], rows[:, 1:]).item()
    return out


@torch.no_grad()
def on_target(model, recipe, ids, windows=16, T=256):
    """-> {nudge: the head's mean mass on its targets in held-out English, over the rows that have one}"""
    at = np.linspace(0, len(ids) - T, windows).astype(int)
    rows = torch.from_numpy(np.stack([np.concatenate([[0], ids[i:i + T]]) for i in at]))
    _, seen = model(rows, [(n.layer, n.head) for n in recipe.nudges])
    out = {}
    for n in recipe.nudges:
        wanted = nudges.targets(n.kind, rows)
        asked = wanted[:, :, 1:].any(-1)      # not the rows that are to rest on the first token
        mass = (seen[n.layer, n.head].exp() * wanted).sum(-1)
        out[f"{n.kind} L{n.layer}H{n.head}"] = mass[asked].mean().item()
    return out


def optimiser(model, recipe):
    big = [p for n, p in model.named_parameters() if p.dim() == 2 and not n.startswith("embed")]
    rest = [p for n, p in model.named_parameters() if p.dim() == 1 or n.startswith("embed")]
    return torch.optim.AdamW([dict(params=big, weight_decay=.1), dict(params=rest, weight_decay=0.)],
                             lr=recipe.rate, betas=(.9, .98), eps=1e-9)


def save(path, model, opt, rows, step):
    """The file is there whole or not at all."""
    state = dict(model=model.state_dict(), opt=opt.state_dict(), rng=rows.rng.bit_generator.state,
                 torch=torch.get_rng_state(), step=step)
    with open(path + ".new", "wb") as f:
        torch.save(state, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + ".new", path)


def begin_with(model, folder):
    """The weights that model.export wrote, as float32"""
    kept = load_file(os.path.join(folder, "model.safetensors"))
    model.load_state_dict({k.removeprefix("model."): v.float() for k, v in kept.items()})


def restore(path, model, opt, rows):
    """-> the step to go on with"""
    if not os.path.exists(path):
        return 0
    state = torch.load(path, weights_only=False)
    model.load_state_dict(state["model"])
    opt.load_state_dict(state["opt"])
    rows.rng.bit_generator.state = state["rng"]
    if "torch" in state:
        torch.set_rng_state(state["torch"])
    print("going on from step", state["step"], flush=True)
    return state["step"]


def learn(model, opt, recipe, rows, step, steps):
    """One step -> its loss without the rewards"""
    share = step / steps
    T = recipe.context(share)
    ids, targets = map(torch.from_numpy, rows.batch(recipe.step_tokens // T, T, *recipe.mixture(share)))
    now = [n for n in recipe.nudges if n.at(share)]
    x, seen = model(ids, [(n.layer, n.head) for n in now])
    loss = model.loss(x, targets)
    total = loss
    for n in now:
        total = total - n.at(share) * nudges.reward(n.kind, ids, seen[n.layer, n.head])
    total.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for group in opt.param_groups:
        group["lr"] = rate(recipe, step, steps)
    opt.step()
    opt.zero_grad(set_to_none=True)
    return loss.item()


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("tokenizer")
    ap.add_argument("out")
    ap.add_argument("--recipe", choices=RECIPES, default="second")
    ap.add_argument("--steps", type=int, help="default: those of the recipe")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--from", dest="start", metavar="FOLDER", help="weights to begin with (default: random ones)")
    ap.add_argument("--report-every", type=int, default=250)
    ap.add_argument("--stop-after", type=int, help="leave after this many steps in all, as if interrupted")
    return ap.parse_args()


def main():
    args = arguments()
    recipe = RECIPES[args.recipe]
    steps = args.steps or recipe.steps
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    tok = Tokenizer.from_file(args.tokenizer)
    train, held = corpus.load(args.corpora, tok)
    for key in train:
        print(f"{key}: {len(train[key][0])} tokens, {len(held[key])} held out")

    model = Decoder(tok.get_vocab_size())
    if args.start:
        begin_with(model, args.start)
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    opt = optimiser(model, recipe)
    rows = corpus.Rows(train, tok, np.random.default_rng(args.seed), recipe.natural)
    saved = os.path.join(args.out, "checkpoint.pt")
    first = restore(saved, model, opt, rows)

    began = last = time.time()
    mean, end = 0.0, min(steps, args.stop_after or steps)
    for step in range(first, end):
        mean += (learn(model, opt, recipe, rows, step, steps) - mean) / (1 + min(step - first, 100))
        done = step + 1
        if done % args.report_every == 0 or done == end:
            speed = (done - first) * recipe.step_tokens / (time.time() - began)
            print(f"step {done} loss {mean:.3f} held out "
                  + " ".join(f"{k} {v:.3f}" for k, v in held_out(model, held).items()) + " | "
                  + " ".join(f"{k} {v:.3f}" for k, v in on_target(model, recipe, held["en"]).items())
                  + f" | {speed:.0f} tokens/s", flush=True)
        if time.time() - last > SAVE_SECONDS or done == end:
            save(saved, model, opt, rows, done)
            last = time.time()
    if end == steps:
        open(os.path.join(args.out, "done"), "w").close()


if __name__ == "__main__":
    main()
