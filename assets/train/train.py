"""Corpora + tokenizer.json + seed -> a trained decoder (OUT/checkpoint.pt, for package.py).

    python train.py CORPORA TOKENIZER OUT --steps 12500 --seed 1

Every schedule counts steps, never seconds; the same seed gives the same rows. A checkpoint in OUT lets a run
that was stopped go on where it was.
"""
import argparse
import math
import os
import time

import numpy as np
import torch
from tokenizers import Tokenizer

import corpus
from model import Decoder

STEP_TOKENS = 1024
RATE, WARMUP = 2e-3, 200
NUDGED_HEAD = 0                      # of layer 0: told to look at the previous token ...
NUDGE_END = .25                      # ... until this share of the steps
# (from share, context)
CONTEXT = ((.0, 64), (.20, 128), (.45, 256), (.92, 512))
# (from share, share of repeats, share of brackets)
MIXTURE = ((.0, .55, .10), (.45, .14, .07))


def at(table, share):
    return [row for row in table if share >= row[0]][-1][1:]


def rate(step, steps):
    return RATE * min(1, (step + 1) / WARMUP) * (.02 + .98 * .5 * (1 + math.cos(math.pi * step / steps)))


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
def story(model, rng, T=60):
    """-> nudged head's mass on the previous token; loss on the second telling of random tokens"""
    piece = rng.integers(1, model.embed_tokens.num_embeddings, (8, T))
    ids = torch.from_numpy(np.concatenate([np.zeros((8, 1), np.int64), piece, piece], 1))
    x, seen = model(ids[:, :-1], NUDGED_HEAD)
    targets = ids[:, 1:].clone()
    targets[:, :T + 1] = -100
    return seen.exp().diagonal(-1, 1, 2).mean().item(), model.loss(x, targets).item()


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("tokenizer")
    ap.add_argument("out")
    ap.add_argument("--steps", type=int, default=12500, help="of 1024 tokens each")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--save-every", type=int, default=500)
    ap.add_argument("--stop-after", type=int, help="leave after this many steps (to measure the speed)")
    args = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    tok = Tokenizer.from_file(args.tokenizer)
    train, held = corpus.load(args.corpora, tok)
    for key in train:
        print(f"{key}: {len(train[key][0])} tokens, {len(held[key])} held out")

    model = Decoder(tok.get_vocab_size())
    print(sum(p.numel() for p in model.parameters()), "parameters")
    big = [p for n, p in model.named_parameters() if p.dim() == 2 and not n.startswith("embed")]
    rest = [p for n, p in model.named_parameters() if p.dim() == 1 or n.startswith("embed")]
    opt = torch.optim.AdamW([dict(params=big, weight_decay=.1), dict(params=rest, weight_decay=0.)],
                            lr=RATE, betas=(.9, .98), eps=1e-9)
    rows = corpus.Rows(train, tok, np.random.default_rng(args.seed))

    first, saved = 0, os.path.join(args.out, "checkpoint.pt")
    if os.path.exists(saved):
        state = torch.load(saved, weights_only=False)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        rows.rng.bit_generator.state = state["rng"]
        first = state["step"]
        print("going on from step", first)

    began, mean = time.time(), 0.0
    for step in range(first, min(args.steps, args.stop_after or args.steps)):
        share = step / args.steps
        (T,), (repeats, brackets) = at(CONTEXT, share), at(MIXTURE, share)
        ids, targets = map(torch.from_numpy, rows.batch(STEP_TOKENS // T, T, repeats, brackets))
        nudge = max(0., 1 - share / NUDGE_END)

        x, seen = model(ids, NUDGED_HEAD if nudge else None)
        loss = model.loss(x, targets)
        total = loss - nudge * seen.diagonal(-1, 1, 2).mean() if nudge else loss
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in opt.param_groups:
            group["lr"] = rate(step, args.steps)
        opt.step()
        opt.zero_grad(set_to_none=True)

        mean += (loss.item() - mean) / (1 + min(step - first, 100))
        done = step + 1
        if done % 250 == 0 or done == args.steps:
            lost = held_out(model, held)
            prev, again = story(model, np.random.default_rng(0))
            speed = (done - first) * STEP_TOKENS / (time.time() - began)
            print(f"step {done} loss {mean:.3f} held out " + " ".join(f"{k} {v:.3f}" for k, v in lost.items())
                  + f" prev {prev:.3f} repeated {again:.3f} | {speed:.0f} tokens/s", flush=True)
        if done % args.save_every == 0 or done == args.steps:
            torch.save(dict(model=model.state_dict(), opt=opt.state_dict(), rng=rows.rng.bit_generator.state, step=done),
                       saved + ".new")
            os.replace(saved + ".new", saved)


if __name__ == "__main__":
    main()
