# SPDX-License-Identifier: MIT
"""A Hugging Face folder -> what each attention head does, in numbers; with --text, where each head looks in that text.

    python heads.py FOLDER CORPORA [--json OUT]          scores on held-out text
    python heads.py FOLDER --text "..." [--layer N]      for every token the place most looked at

The weights are used as stored (float16, rounded) and the sums are those of transformers' LlamaForCausalLM.
"""
import argparse
import json
import os

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

import corpus

PERIODS = (10, 20, 30, 60, 100)


class Reader:
    def __init__(self, folder):
        self.tok = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.net = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        self.V = self.tok.get_vocab_size()

    @torch.no_grad()
    def __call__(self, rows):
        """B x T ids -> attention L x B x H x T x T, log probabilities B x T x V"""
        out = self.net(torch.as_tensor(rows), output_attentions=True)
        return torch.stack(out.attentions), out.logits.log_softmax(-1)


def with_bos(rows):
    return np.concatenate([np.zeros((len(rows), 1), np.int64), rows], 1)


def windows(ids, n, T):
    return with_bos(np.stack([ids[i:i + T] for i in np.linspace(0, len(ids) - T, n).astype(int)]))


def nll(logp, rows, first=1):
    """mean loss of the targets from position `first` on; and the share guessed right"""
    rows = torch.as_tensor(rows)[:, first:]
    logp = logp[:, first - 1:-1]
    return (-logp.gather(-1, rows[..., None]).mean().item(), (logp.argmax(-1) == rows).float().mean().item())


def masked(att, where):
    """mean over the queries that have any True in `where` (B x T x T) of the attention that falls on True: L x H"""
    where = torch.as_tensor(where)
    asked = where.any(-1)
    mass = (att * where[None, :, None]).sum(-1).transpose(1, 2)      # L H B T
    return mass[..., asked].mean(-1).numpy()


def natural_scores(read, ids, n=24, T=256):
    rows = windows(ids, n, T)
    att, _ = read(rows)
    B, S = rows.shape
    t = np.arange(S)
    back = t[:, None] - t[None]
    all_rows = lambda m: np.broadcast_to(m, (B, S, S)).copy()
    text = np.array([read.tok.decode([i]) for i in range(read.V)])
    marks = np.array([bool(s.strip() == "" or not any(c.isalnum() or c == "\ufffd" for c in s)) for s in text])
    marks[0] = False

    same = (rows[:, :, None] == rows[:, None]) & (back > 0) & (t[None] > 0)
    after = np.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    after &= back > 0
    first_time = ~same.any(-1, keepdims=True) & (t[:, None] >= 8) & (t[None] == 0)
    out = {
        "previous": masked(att, all_rows((back == 1) & (t[:, None] > 1))),
        "self": masked(att, all_rows((back == 0) & (t[:, None] > 0))),
        "induction_text": masked(att, after),
        "duplicate_text": masked(att, same),
        "first": masked(att, all_rows((t[:, None] >= 8) & (t[None] == 0))),
        "first_if_new": masked(att, first_time),
    }
    seen = torch.as_tensor(marks[rows])[:, None].expand(B, S, S) & torch.as_tensor((back >= 0) & (t[:, None] >= 8))
    out["punctuation"] = (att * seen[None, :, None]).sum((1, 3, 4)).div(B * (S - 8)).numpy()
    base = (marks[rows].cumsum(1) / (t + 1))[:, 8:].mean()
    entropy = -(att * att.clamp_min(1e-12).log()).sum(-1)
    out["entropy_nats"] = entropy[..., 8:].mean((1, 3)).numpy()
    out["distance"] = (att * torch.as_tensor(np.maximum(back, 0))).sum(-1)[..., 8:].mean((1, 3)).numpy()
    return out, float(base)


def random_scores(read, rng, n=16):
    heads, told = {}, {}
    for P in PERIODS:
        piece = rng.integers(1, read.V, (n, P))
        rows = with_bos(np.concatenate([piece, piece], 1))
        att, logp = read(rows)
        S = rows.shape[1]
        at = np.zeros((n, S, S), bool)
        t = np.arange(P + 1, S)
        at[:, t, t - P + 1] = True
        heads[f"induction_{P}"] = masked(att, at)
        told[P] = nll(logp, rows, P + 2)
        if P == 60:
            at[:] = False
            at[:, t, t - P] = True
            heads["duplicate_60"] = masked(att, at)
    return heads, told


def bracket_scores(read, rng, n=24, T=64):
    """Queries: the token before a closing bracket, where another bracket was opened and closed since its own opened."""
    rows_of = corpus.Rows(None, read.tok, rng)
    rows = with_bos(np.stack([rows_of.bracket(T) for _ in range(n)]))
    att, logp = read(rows)
    pair, other = np.zeros((n, T + 1, T + 1), bool), np.zeros((n, T + 1, T + 1), bool)
    right, trivial, asked = 0, 0, 0
    for b in range(n):
        stack, opened = [], []
        for t, i in enumerate(rows[b]):
            if i in rows_of.open:
                stack.append(t)
                opened.append(t)
            elif i in rows_of.close:
                at = stack.pop()
                kind = rows_of.close.index(i)
                right += int(logp[b, t - 1, rows_of.close].argmax()) == kind
                trivial += rows_of.open.index(rows[b, opened[-1]]) == kind
                asked += 1
                if opened[-1] != at:
                    pair[b, t - 1, at] = True
                    other[b, t - 1, [o for o in opened if o != at]] = True
    queries = pair.any(-1)
    mass = lambda m: (att * torch.as_tensor(m)[None, :, None])
    best_other = mass(other).amax(-1).transpose(1, 2)[..., torch.as_tensor(queries)].mean(-1).numpy()
    scores = masked(att, pair)
    return {"bracket": scores, "bracket_margin": scores - best_other}, right / asked, trivial / asked


def evaluate(folder, corpora):
    read, rng = Reader(folder), np.random.default_rng(7)
    _, held = corpus.load(corpora, read.tok, only_held_out=True)
    heads, base = natural_scores(read, held["en"])
    randoms, told = random_scores(read, rng)
    brackets, right, trivial = bracket_scores(read, rng)
    heads.update(randoms)
    heads.update(brackets)
    loss = {}
    for key, ids in held.items():
        rows = windows(ids, 24, 256)
        loss[key] = nll(read(rows)[1], rows)
    for T in (512, 1000):
        rows = windows(held["en"], 6, T)
        loss[f"en last 100 of {T}"] = nll(read(rows)[1], rows, T - 99)
    return dict(heads=heads, punctuation_base=base, repeated=told, bracket_right=right, bracket_trivial=trivial, loss=loss)


def report(r):
    print("loss (nats a token), share guessed right:")
    for k, (a, b) in r["loss"].items():
        print(f"  {k:22} {a:.3f}  {b:.3f}")
    for k, (a, b) in r["repeated"].items():
        print(f"  random, told again, {k:3} {a:.3f}  {b:.3f}")
    print(f"closing bracket right {r['bracket_right']:.3f}, type of the latest opener {r['bracket_trivial']:.3f}")
    print(f"share of punctuation {r['punctuation_base']:.3f}\n")
    names = list(r["heads"])
    print("head  " + " ".join(f"{n[:4] + n[-5:] if len(n) > 9 else n:>9}" for n in names))
    L, H = r["heads"][names[0]].shape
    for l in range(L):
        for h in range(H):
            print(f"L{l}H{h}  " + " ".join(f"{r['heads'][n][l, h]:9.3f}" for n in names))
    print("\nbest  " + " ".join(f"{'L%dH%d' % np.unravel_index(r['heads'][n].argmax(), (L, H)):>9}" for n in names))


def show(folder, text, layer):
    read = Reader(folder)
    ids = read.tok.encode(text).ids
    att, _ = read([ids])
    words = ["<|bos|>"] + [read.tok.decode([i]) for i in ids[1:]]
    for l in range(att.shape[0]) if layer is None else [layer]:
        for h in range(att.shape[2]):
            print(f"L{l}H{h}")
            for t in range(1, len(ids)):
                row = att[l, 0, h, t]
                best = row.argsort(descending=True)[:3]
                print(f"   {t:2} {words[t]!r:12} -> " + "  ".join(f"{int(j):2} {words[j]!r} {row[j]:.2f}" for j in best if row[j] > .05))


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("folder")
    ap.add_argument("corpora", nargs="?")
    ap.add_argument("--json")
    ap.add_argument("--text")
    ap.add_argument("--layer", type=int)
    args = ap.parse_args()
    torch.set_num_threads(1)
    if args.text:
        return show(args.folder, args.text, args.layer)
    r = evaluate(args.folder, args.corpora)
    report(r)
    if args.json:
        plain = {**r, "heads": {k: np.round(v, 4).tolist() for k, v in r["heads"].items()}}
        with open(args.json, "w") as f:
            json.dump(plain, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
