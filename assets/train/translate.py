# SPDX-License-Identifier: MIT
"""The grammar of grammar.py -> OUT, a BART folder: words of English -> words of Chinese, 2 + 1 layers of 4 heads.

    python translate.py OUT [--steps 1200] [--seed 1]

Head 0 of the only decoder layer is rewarded, to the end, for attending to the English word that the row's own Chinese
word stands for; the others go where the next word has to be looked up. Minutes on one core, so it keeps no checkpoints.
"""
import argparse
import json

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import BartConfig, BartForConditionalGeneration

import folder
import grammar

PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"
WIDTH, MLP, HEADS, PLACES = 64, 112, 4, 48
RATE, WARMUP, ROWS = 3e-3, 100, 64
OWN_HEAD, OWN_WEIGHT = 0, .1
MOST_BYTES = 300_000
CARD = {"name": "mha-viz translate (2 + 1 layers x 4 heads)", "default_layer": 0,
        "default_text": "I like eating apples", "default_pair": "我喜欢吃苹果"}


def tokeniser():
    """Each word one token; text without spaces is cut into as few words as it can be."""
    en, zh = grammar.words()
    vocabulary = [(PAD, 0.), (END, 0.), (UNKNOWN, 0.)] + [(w, -1.) for w in en + zh]
    tok = Tokenizer(models.Unigram(vocabulary, unk_id=2, byte_fallback=False))
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.Split(Regex(r"[.?。？]"), "isolated"),
        pre_tokenizers.Split(Regex(r"[A-Za-z]+"), "isolated")])
    tok.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    tok.add_special_tokens([PAD, END, UNKNOWN])
    tok.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A {END} $B:1 {END}:1", special_tokens=[(END, 1)])
    return tok


def network(size):
    return BartForConditionalGeneration(BartConfig(
        vocab_size=size, d_model=WIDTH, max_position_embeddings=PLACES, encoder_layers=2, decoder_layers=1,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=MLP, decoder_ffn_dim=MLP,
        dropout=0., attention_dropout=0., activation_dropout=0., pad_token_id=0, bos_token_id=1, eos_token_id=1,
        decoder_start_token_id=1, forced_eos_token_id=1, init_std=.05, attn_implementation="eager"))


def padded(rows, fill):
    out = torch.full((len(rows), max(map(len, rows))), fill)
    for i, row in enumerate(rows):
        out[i, :len(row)] = torch.tensor(row)
    return out


def batch(tok, rng, n):
    """-> English ids, decoder ids, targets and, per decoder row, the place of its own English word; -100: none"""
    source, given, wanted, own = [], [], [], []
    for _ in range(n):
        en, zh, at = grammar.sentence(rng)
        source.append([tok.token_to_id(w) for w in en] + [1])
        ids = [tok.token_to_id(w) for w in zh]
        given.append([1] + ids)
        wanted.append(ids + [1])
        own.append([-100] + at)
    return padded(source, 0), padded(given, 0), padded(wanted, -100), padded(own, -100)


def run(net, source, given):
    return net(input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=given, output_attentions=True)


def learn(net, opt, data):
    source, given, wanted, own = data
    out = run(net, source, given)
    loss = torch.nn.functional.cross_entropy(out.logits.flatten(0, 1), wanted.flatten())
    asked = own >= 0
    mass = out.cross_attentions[0][:, OWN_HEAD].gather(-1, own.clamp_min(0)[..., None])[..., 0][asked]
    (loss - OWN_WEIGHT * mass.clamp_min(1e-9).log().mean()).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)
    opt.step()
    opt.zero_grad()
    return loss.item()


@torch.no_grad()
def measure(net, tok, rng, n=400):
    """-> share of sentences translated exactly; per cross head the share of rows whose strongest key is the English word
    of the row's own word, and of the word that the row foretells"""
    source, given, wanted, own = batch(tok, rng, n)
    ids = torch.ones(n, 1, dtype=torch.long)
    for _ in range(wanted.shape[1]):
        ids = torch.cat([ids, run(net, source, ids).logits[:, -1:].argmax(-1)], 1)
    exact = ((ids[:, 1:] == wanted) | (wanted < 0)).all(1).float().mean().item()
    best = run(net, source, given).cross_attentions[0].argmax(-1)
    following = torch.cat([own[:, 1:], torch.full((n, 1), -100)], 1)
    share = lambda gold: [round((best[:, h] == gold)[gold >= 0].float().mean().item(), 3) for h in range(HEADS)]
    return {"sentences": n, "exact": exact, "own word": share(own), "next word": share(following)}


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("out")
    ap.add_argument("--steps", type=int, default=1200)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng, tok = np.random.default_rng(args.seed), tokeniser()
    net = network(tok.get_vocab_size())
    print(sum(p.numel() for p in net.parameters()), "parameters,", tok.get_vocab_size(), "words", flush=True)
    opt = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=.01)
    for step in range(args.steps):
        for group in opt.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARMUP) * (1 - step / args.steps)
        loss = learn(net, opt, batch(tok, rng, ROWS))
        if (step + 1) % 250 == 0:
            print("step", step + 1, f"loss {loss:.4f}", flush=True)
    net.eval()
    net.half().float()      # measured as stored
    found = measure(net, tok, np.random.default_rng(args.seed + 1000))
    folder.write_tokeniser(tok, args.out)
    found["bytes"] = folder.write_model(net, CARD, args.out, MOST_BYTES)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
