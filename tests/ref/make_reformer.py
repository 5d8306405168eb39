#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the cases of the family reformer.

    python3 tests/ref/make_reformer.py [CASE ...]

needs what make.py needs, and writes what make_families.py writes, beside its cases.  The
reference library returns attention chunk by chunk, in the order of the hash; here it is put
back into one matrix of queries and keys, with the rounds of hashing weighed as the library
weighs their outputs.  Where a case has no hash_seed the rotations that were drawn are kept
as RUN.rotations [layers that hash, H, d, rounds, width].

A case with several rounds of hashing is computed in double: in float32 the library rounds
logarithms next to a score of -1e5, which puts rows that see nothing but themselves off by
up to 0.4 per cent.
"""
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers as T
import transformers.models.reformer.modeling_reformer as modeling_reformer

from make_families import HERE, ids_of, spread, store, write_config, write_expected

CASES = {}


def case(name, kind, lengths, style, dtype, strip="", **config):
    CASES[name] = kind, lengths, style, dtype, strip, {
        "vocab_size": 43, "hidden_size": 18, "num_attention_heads": 3,
        "attention_head_size": 5, "feed_forward_size": 20, "max_position_embeddings": 24,
        "pad_token_id": 0, **config}


# Chunks on both sides; of two chunks each sees the other twice.
case("reformer", T.ReformerForMaskedLM, (11, 6, 4), "diff", "float16",
     attn_layers=["local", "lsh"], local_attn_chunk_length=4, local_num_chunks_after=1,
     lsh_attn_chunk_length=4, num_buckets=4, hash_seed=3, axial_pos_shape=[3, 8],
     axial_pos_embds_dim=[7, 11])
# Chunks of two lengths, two rounds, buckets in factors; 9 tokens are padded.
case("reformer_rounds", T.ReformerModelWithLMHead, (11, 9, 3), 4, "bfloat16",
     is_decoder=True, attn_layers=["lsh", "local", "lsh"], local_attn_chunk_length=4,
     lsh_attn_chunk_length=3, num_buckets=[2, 4], num_hashes=2, hash_seed=11,
     max_position_embeddings=60, axial_pos_embds=False)
# As many buckets as the text asks for, and rotations from anywhere.
case("reformer_open", T.ReformerModel, (11, 6), 5, "float16", "reformer.", is_decoder=True,
     attn_layers=["lsh", "lsh"], lsh_attn_chunk_length=2, axial_pos_shape=[4, 6],
     axial_pos_embds_dim=[4, 14])


# ---- what the layers draw and do ----

class Watch:
    """Notes of each layer that hashes: rotations, order and the weight of each round."""

    def __init__(self):
        self.rotations, self.order, self.logits = [], [], []
        self.given = None

    def randn(self, shape, device=None, dtype=None):
        """Always drawn as float32, so that both precisions hash alike."""
        if self.given is not None:
            return self.given[len(self.order)].to(dtype)
        self.rotations.append(RANDN(shape, dtype=torch.float32))
        return self.rotations[-1].to(dtype)


RANDN = torch.randn
ATTEND = modeling_reformer.LSHSelfAttention._attend
SORT = modeling_reformer.LSHSelfAttention._get_sorted_bucket_idx_and_undo_sorted_bucket_idx


def watched(model, ids, watch):
    def attend(self, **args):
        out = ATTEND(self, **args)
        watch.logits.append(out[1][0])
        if args["do_standard_self_attention"]:
            watch.order.append(None)
        return out

    def sort(self, *args):
        out = SORT(self, *args)
        watch.order.append(out[0][0])
        return out

    lsh = modeling_reformer.LSHSelfAttention
    lsh._attend, lsh._get_sorted_bucket_idx_and_undo_sorted_bucket_idx = attend, sort
    torch.randn = watch.randn
    try:
        with torch.no_grad():
            return model(torch.tensor([ids]), output_attentions=True)
    finally:
        lsh._attend, lsh._get_sorted_bucket_idx_and_undo_sorted_bucket_idx = ATTEND, SORT
        torch.randn = RANDN


# ---- chunks back to a matrix ----

def dense(raw, order, share, n_padded, before, after):
    """raw [H, chunks, len, keys]; order, share [H, chunks * len]: token, weight of round."""
    heads, chunks, length, _ = raw.shape
    out = np.zeros((heads, n_padded, n_padded))
    for h in range(heads):
        token = order[h].reshape(chunks, length)
        for c in range(chunks):
            keys = np.concatenate([token[(c + o) % chunks] for o in range(-before, after + 1)])
            for t in range(length):
                at = c * length + t
                np.add.at(out[h, token[c, t]], keys, share[h, at] * raw[h, c, t])
    return out


def matrices(config, attentions, watch, n):
    found, hashed = [], 0
    for kind, a in zip(config.attn_layers, attentions):
        a = a[0].double().numpy()
        order = logits = None
        if kind == "lsh":
            order, logits = watch.order[hashed], watch.logits[hashed]
            hashed += 1
        if a.ndim == 3:
            found.append(a[:, :n, :n])
            continue
        heads, chunks, length, _ = a.shape
        places = chunks * length
        if kind == "local":
            token = np.tile(np.arange(places), (heads, 1))
            found.append(dense(a, token, np.ones((heads, places)), places,
                               config.local_num_chunks_before,
                               config.local_num_chunks_after)[:, :n, :n])
            continue
        padded = places // config.num_hashes
        token = (order % padded).numpy()
        share = logits.double().numpy()
        total = np.full((heads, padded), -np.inf)
        for h in range(heads):
            np.logaddexp.at(total[h], token[h], share[h])
            share[h] = np.exp(share[h] - total[h, token[h]])
        found.append(dense(a, token, share, padded, config.lsh_num_chunks_before,
                           config.lsh_num_chunks_after)[:, :n, :n])
    return found


def compute(folder, kind, ids, double, given=None):
    """Attention, hidden states, logits and rotations of a model that saw no other text."""
    model = kind.from_pretrained(folder, dtype=torch.float64 if double else torch.float32)
    model.eval()
    model.config.use_cache = False
    watch = Watch()
    watch.given = given
    torch.manual_seed(5)
    out = watched(model, ids, watch)
    again = Watch()
    again.given = given if given is not None else watch.rotations
    hidden = watched(model.base_model, ids, again).last_hidden_state
    values = {f"attn.{l}": m for l, m in
              enumerate(matrices(model.config, out.attentions, watch, len(ids)))}
    values["hidden"] = hidden[0].numpy()
    if getattr(out, "logits", None) is not None:
        values["logits"] = out.logits[0].numpy()
    return values, watch.rotations


def entropies(values):
    layers = [v for k, v in values.items() if k.startswith("attn.")]
    return np.stack([-(a * np.log(a + 1e-9)).sum(-1).mean(-1) for a in layers])


def make(folder, name):
    kind, lengths, style, dtype, strip, values = CASES[name]
    seed = sum(name.encode())
    rng = np.random.default_rng(seed)
    model = kind(T.ReformerConfig(**values))
    spread(model, seed)
    store(folder, model, getattr(torch, dtype), strip, 1)
    write_config(folder, model, dtype, style, None)
    runs, arrays, worst = [], {}, {"attn": 0.0, "hidden": 0.0}
    for i, n in enumerate(lengths):
        ids = ids_of(rng, n, values["vocab_size"])
        found, rotations = compute(folder, kind, ids, False)
        given = rotations if values.get("hash_seed") is None else None
        exact, _ = compute(folder, kind, ids, True, given)
        if values.get("num_hashes", 1) > 1:
            found = exact
        for key, value in found.items():
            what = "attn" if key.startswith("attn") else "hidden"
            worst[what] = max(worst[what], float(np.abs(value - exact[key]).max()))
        found["entropy"] = entropies(found)
        if rotations:
            stacked = np.stack([r.numpy() for r in rotations])
            found["rotations"] = stacked if given is not None else stacked[0]
        arrays.update({f"r{i}.{k}": np.ascontiguousarray(
            v, dtype=np.float64 if k == "entropy" else np.float32) for k, v in found.items()})
        runs.append({"id": f"r{i}", "input_ids": ids, "arrays": [f"r{i}.{k}" for k in found]})
    write_expected(folder, name, model, kind, worst, runs)
    np.savez(folder / "expected.npz", **arrays)


def main(names):
    torch.set_num_threads(1)
    for name in names or CASES:
        folder = HERE / "families" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder, name)
        print(f"{name}: {sum(f.stat().st_size for f in folder.iterdir()) // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
