# SPDX-License-Identifier: MIT
"""The shipped folder and the candidates -> the table of the aims, and which of them is to be shipped.

    python score.py CORPORA SHIPPED CANDIDATE...

The folders are those that package.py writes; the rule is that of rule.py.
"""
import argparse
import json
import os

import numpy as np
import torch

import corpus
import folder
import heads
import nudges
import rule

PROBE, RUNS = 50, 20
DEMO = "The old man went to the sea, and the old man went to sleep."
COPIED = (" old", " man", " went", " to")


def covered(att, wanted):
    """Attention L x B x H x T x T, keys B x T x T -> mean over texts of the mean over rows that have a key: L x H"""
    wanted = torch.as_tensor(wanted)
    rows = wanted.any(-1)
    mass = (att * wanted[None, :, None]).sum(-1)
    return (mass.sum(-1) / rows.sum(-1)[None, :, None]).mean(1).numpy()


def previous(ids):
    wanted = torch.zeros(*ids.shape, ids.shape[1], dtype=torch.bool)
    wanted.diagonal(-1, 1, 2).fill_(True)
    return wanted


def english(read, held):
    rows = torch.as_tensor(heads.windows(held["en"], 24, 256))
    att, logp = read(rows)
    scores = {"induction": covered(att, nudges.after_earlier_equal(rows)),
              "previous": covered(att, previous(rows)),
              "duplicate_text": covered(att, nudges.earlier_equal(rows))}
    return scores, heads.nll(logp, rows)[0]


def probe(read, rng):
    """-> probe.induction, probe.duplicate: 50 random tokens told twice, drawn without replacement"""
    piece = np.stack([rng.choice(np.arange(1, read.V), PROBE, replace=False) for _ in range(RUNS)])
    att, _ = read(heads.with_bos(np.concatenate([piece, piece], 1)))
    rows = torch.arange(PROBE + 1, 2 * PROBE + 1)
    mean = lambda back: att[:, :, :, rows, rows - back].mean((1, 3)).numpy()
    return mean(PROBE - 1), mean(PROBE)


def holds(att, rows, keys):
    """One head's attention T x T: the strongest key is the wanted one in 3 of the rows, with .5 in the mean"""
    right = sum(int(att[r].argmax()) == k for r, k in zip(rows, keys))
    return right >= len(rows) - 1 and float(att[rows, keys].mean()) >= .5


def picture(read):
    """-> the layer whose picture tells the story, or None; and each head's part there"""
    ids = read.tok.encode(DEMO).ids
    words = [read.tok.decode([i]) for i in ids]
    first = [words.index(w) for w in COPIED]
    again = [words.index(w, f + 1) for w, f in zip(COPIED, first)]
    att = read([ids])[0][:, 0]
    wanted = {"induction": [f + 1 for f in first], "duplicate": first, "previous": [a - 1 for a in again]}
    for layer, maps in enumerate(att):
        parts = [next((k for k, keys in wanted.items() if holds(m, again, keys)), "") for m in maps]
        if "induction" in parts and ("duplicate" in parts or "previous" in parts):
            return layer, parts
    return None, []


def score(path, held):
    read, rng = heads.Reader(path), np.random.default_rng(7)
    scores, loss = english(read, held)
    scores["probe_induction"], scores["probe_duplicate"] = probe(read, rng)
    brackets, _, _ = heads.bracket_scores(read, rng)
    scores["duplicate"] = np.minimum(scores["probe_duplicate"], scores["duplicate_text"])
    scores["bracket"] = np.where(brackets["bracket_margin"] > 0, brackets["bracket"], 0)
    out = {k: float(v.max()) for k, v in scores.items()}
    out["third"] = max(out["duplicate"], out["bracket"])
    layer, parts = picture(read)
    out.update(picture=float(layer is not None), loss=loss, bytes=folder.size(path))
    where = {k: "L%dH%d" % np.unravel_index(v.argmax(), v.shape) for k, v in scores.items()}
    return {**out, "met": rule.met(out), "heads": where, "layer": layer, "parts": parts}


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("corpora")
    ap.add_argument("shipped")
    ap.add_argument("candidates", nargs="*")
    args = ap.parse_args()
    torch.set_num_threads(1)
    tok = heads.Tokenizer.from_file(os.path.join(args.shipped, "tokenizer.json"))
    _, held = corpus.load(args.corpora, tok, only_held_out=True)
    results = {f: score(f, held) for f in [args.shipped, *args.candidates]}
    print(json.dumps(results, indent=1))
    shipped = results.pop(args.shipped)
    print("to be shipped:", rule.choose(shipped, results) or args.shipped)


if __name__ == "__main__":
    main()
