# SPDX-License-Identifier: MIT
"""English novels + seed -> OUT, a small BERT folder whose first layer holds a previous- and a next-token head.

    python encoder.py CORPORA OUT [--seed 1]

The vocabulary is made first, unless OUT/tokenizer.json is there: the library that makes it breaks ties differently from
run to run, so put the shipped one there to repeat a training. Two heads of layer 0 are rewarded for attending to the
token before and the token after; the reward ends at 60 % of the steps. A run that was stopped goes on from
OUT/checkpoint.pt as in train.py; OUT/done marks the end.
"""
import argparse
import json
import math
import os
import time

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM

import corpus
import folder
from train import SAVE_SECONDS, restore, save

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)
VOCAB, WIDTH, MLP, LAYERS, HEADS, PLACES = 1536, 64, 128, 3, 4, 128
STEPS, STEP_TOKENS, RATE, WARMUP, MASKED = 2400, 1024, 1.5e-3, 300, .15
CONTEXT = ((.0, 32), (.10, 64), (.20, 128))
NUDGES = ((0, -1), (1, 1))            # (head of layer 0, where it is to look)
NUDGE_WEIGHT, NUDGE_END = .5, .6
MOST_BYTES = 500_000
CARD = {"name": f"mha-viz encoder ({LAYERS} layers x {HEADS} heads)", "default_layer": 0,
        "default_text": "She went to the door and shut it."}


def tokeniser(lines):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    tok.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=VOCAB, special_tokens=list(SPECIAL), show_progress=False))
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)])
    return tok


def vocabulary(corpora, out):
    """Made once: a run that goes on must find the same."""
    path = os.path.join(out, "tokenizer.json")
    if not os.path.exists(path):
        tok = tokeniser(line for i, line in enumerate(corpus.read_lines(corpora, "en.txt")) if i % 3 == 0)
        folder.write_tokeniser(tok, out)
    return Tokenizer.from_file(path)


def network():
    net = BertForMaskedLM(BertConfig(
        vocab_size=VOCAB, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=MLP,
        max_position_embeddings=PLACES, type_vocab_size=2, hidden_dropout_prob=0., attention_probs_dropout_prob=0.,
        initializer_range=.04, attn_implementation="eager"))
    angle = torch.outer(torch.arange(PLACES), 10000. ** (-torch.arange(0, WIDTH, 2) / WIDTH))
    with torch.no_grad():
        net.bert.embeddings.position_embeddings.weight.copy_(.1 * torch.cat([angle.sin(), angle.cos()], 1))
    return net


class Rows:
    """[CLS], a stretch of the corpus, [SEP]; of the tokens between, some masked: 80 % [MASK], 10 % another, 10 % left"""

    def __init__(self, ids, starts, rng):
        self.ids, self.starts, self.rng = ids, starts, rng

    def batch(self, B, T):
        rng, n = self.rng, T - 2
        at = np.minimum(self.starts[rng.integers(0, len(self.starts), B)], len(self.ids) - n)
        rows = np.stack([np.concatenate([[CLS], self.ids[a:a + n], [SEP]]) for a in at])
        hidden = rng.random((B, T)) < MASKED
        hidden[:, [0, -1]] = False
        targets, how = np.where(hidden, rows, -100), rng.random((B, T))
        rows = np.where(hidden & (how < .8), MASK, rows)
        rows = np.where(hidden & (how > .9), rng.integers(len(SPECIAL), VOCAB, (B, T)), rows)
        return torch.from_numpy(rows), torch.from_numpy(targets)


def since(table, share):
    return [row for row in table if share >= row[0]][-1][1]


def look(att, by):
    """One head's attention B x T x T -> mass on the token `by` places away, rows 1 to T - 2"""
    return att.diagonal(by, 1, 2)[:, (1 if by > 0 else 0):(None if by > 0 else -1)]


def learn(net, opt, rows, step, steps):
    share = step / steps
    T = since(CONTEXT, share)
    ids, targets = rows.batch(STEP_TOKENS // T, T)
    nudge = NUDGE_WEIGHT * max(0., 1 - share / NUDGE_END)
    out = net(input_ids=ids, output_attentions=bool(nudge))
    loss = torch.nn.functional.cross_entropy(out.logits[targets >= 0], targets[targets >= 0])
    total = loss
    for head, by in NUDGES if nudge else ():
        total = total - nudge * look(out.attentions[0][:, head], by).clamp_min(1e-9).log().mean()
    total.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)
    for group in opt.param_groups:
        group["lr"] = RATE * min(1, (step + 1) / WARMUP) * (.02 + .49 * (1 + math.cos(math.pi * share)))
    opt.step()
    opt.zero_grad()
    return loss.item()


@torch.no_grad()
def measure(net, held, n=24, T=128):
    """-> per layer and head the mass on the token before and after, on held-out English; the loss on masked tokens"""
    rows = Rows(held, np.linspace(0, len(held) - T, n).astype(int), np.random.default_rng(7))
    ids = np.stack([np.concatenate([[CLS], held[a:a + T - 2], [SEP]]) for a in rows.starts])
    att = torch.stack(net(input_ids=torch.from_numpy(ids), output_attentions=True).attentions)
    mean = lambda by: [[round(look(h, by).mean().item(), 3) for h in layer.unbind(1)] for layer in att]
    ids, targets = rows.batch(128, T)
    logits = net(input_ids=ids).logits[targets >= 0]
    return {"previous": mean(-1), "next": mean(1),
            "loss": torch.nn.functional.cross_entropy(logits, targets[targets >= 0]).item()}


def streams(corpora, tok):
    keep, out = corpus.split(corpus.read_lines(corpora, "en.txt"), corpus.BLOCK_LINES["en.txt"])
    return corpus.flat(tok, keep), corpus.flat(tok, out)[0]


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("out")
    ap.add_argument("--steps", type=int, default=STEPS)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--stop-after", type=int, help="leave after this many steps in all, as if interrupted")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    (ids, starts), held = streams(args.corpora, vocabulary(args.corpora, args.out))
    net, rows = network(), Rows(ids, starts, np.random.default_rng(args.seed))
    print(sum(p.numel() for p in net.parameters()), "parameters,", len(ids), "tokens", flush=True)
    opt = torch.optim.AdamW(net.parameters(), lr=RATE, betas=(.9, .98), weight_decay=.01)
    saved = os.path.join(args.out, "checkpoint.pt")
    first, end, last = restore(saved, net, opt, rows), min(args.steps, args.stop_after or args.steps), time.time()
    for step in range(first, end):
        loss = learn(net, opt, rows, step, args.steps)
        if (step + 1) % 400 == 0:
            print("step", step + 1, f"loss {loss:.3f}", json.dumps(measure(net, held)), flush=True)
        if time.time() - last > SAVE_SECONDS or step + 1 == end:
            save(saved, net, opt, rows, step + 1)
            last = time.time()
    if end == args.steps:
        net.half().float()      # measured as stored
        found = measure(net, held)
        found["bytes"] = folder.write_model(net, CARD, args.out, MOST_BYTES)
        print(json.dumps(found), flush=True)
        open(os.path.join(args.out, "done"), "w").close()


if __name__ == "__main__":
    main()
