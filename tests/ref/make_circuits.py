#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Circuits of heads by TransformerLens' definitions, written out with whole matrices in float64.

    python3 tests/ref/make_circuits.py                     writes circuits/cases.json
    python3 tests/ref/make_circuits.py PROGRAM FOLDER...   compares the program over models

needs what make.py needs.  Nothing is factored here: W_QK and W_OV are [D, D], the full circuit
is [V, V] where the vocabulary is small, norms are Frobenius norms of products, eigenvalues those
of the whole matrix.  fold_layer_norm and center_writing_weights are those of TransformerLens;
TransformerLens keeps the norms after projections (gemma2, olmo2), whose gain is folded into W_O
here, and the norms of queries and keys, whose gain is folded into W_Q and W_K.  The embedding and
the first mlp are run by the reference library.  TransformerLens 2.16.1 itself gives the numbers of
gpt2, scores of compositions and eigenvalues, within 2e-15.
"""
import json
import math
import pathlib
import subprocess
import sys

import torch
import transformers as T

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-4                        # of the largest number of a column
FIXTURES = ["gpt2", "llama", "bert", "families/gemma2", "families/qwen3", "families/olmo2",
            "families/gpt_neox", "families/gptj", "families/phi"]
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = ("January February March April May June July August September October November "
          "December").split()
NUMBERS = [str(i) for i in range(1, 101)]
LETTERS = [chr(65 + i) for i in range(26)]
CLASSES = {"days": (DAYS, True), "months": (MONTHS, True), "numbers": (NUMBERS, False),
           "letters": (LETTERS, False)}


def layers_of(m):
    """-> per layer: attention, its norm or None, the norm of the mlp or None, mlp, the norm after
    attention or None, after mlp or None; the embedding as a function; the final norm, W_U, b_U"""
    kind = m.config.model_type
    if kind == "gpt2":
        b = m.transformer
        ls = [(x.attn, x.ln_1, x.ln_2, x.mlp, None, None) for x in b.h]
        return ls, b.wte, b.ln_f, m.lm_head
    if kind == "gpt_neox":
        b = m.gpt_neox
        ls = [(x.attention, x.input_layernorm, x.post_attention_layernorm, x.mlp, None, None)
              for x in b.layers]
        return ls, b.embed_in, b.final_layer_norm, m.embed_out if hasattr(m, "embed_out") else m.lm_head
    if kind == "gptj":
        b = m.transformer
        ls = [(x.attn, x.ln_1, x.ln_1, x.mlp, None, None) for x in b.h]
        return ls, b.wte, b.ln_f, m.lm_head
    if kind == "bert":
        return [(x.attention.self, None, None, x, None, None) for x in m.bert.encoder.layer], None, None, None
    b = m.model
    if kind == "phi":
        ls = [(x.self_attn, x.input_layernorm, x.input_layernorm, x.mlp, None, None) for x in b.layers]
        return ls, b.embed_tokens, b.final_layernorm, m.lm_head
    if kind == "gemma2":
        ls = [(x.self_attn, x.input_layernorm, x.pre_feedforward_layernorm, x.mlp,
               x.post_attention_layernorm, x.post_feedforward_layernorm) for x in b.layers]
        return ls, b.embed_tokens, b.norm, m.lm_head       # which scales by itself
    if kind == "olmo2":
        ls = [(x.self_attn, None, None, x.mlp, x.post_attention_layernorm,
               x.post_feedforward_layernorm) for x in b.layers]
        return ls, b.embed_tokens, b.norm, m.lm_head
    ls = [(x.self_attn, x.input_layernorm, x.post_attention_layernorm, x.mlp, None, None)
          for x in b.layers]
    return ls, b.embed_tokens, b.norm, m.lm_head


def gain(norm):
    return 1 + norm.weight if type(norm).__name__.startswith("Gemma") else norm.weight


def heads(x, n):
    """[n d, D] -> [n, D, d]"""
    return x.reshape(n, -1, x.shape[-1]).transpose(1, 2)


def projections(m, i, attention):
    """-> W_Q, W_K, W_V [H, D, d], W_O [H, d, D], keys and values of a group repeated"""
    c, kind = m.config, m.config.model_type
    H = c.num_attention_heads
    G = getattr(c, "num_key_value_heads", None) or H
    if kind == "gpt2":
        q, k, v = attention.c_attn.weight.T.chunk(3)
        o = attention.c_proj.weight
    elif kind == "gpt_neox":
        q, k, v = attention.query_key_value.weight.view(H, 3, -1, c.hidden_size).unbind(1)
        q, k, v = (x.reshape(-1, c.hidden_size) for x in (q, k, v))
        o = attention.dense.weight.T
    elif kind == "bert":
        q, k, v = attention.query.weight, attention.key.weight, attention.value.weight
        o = m.bert.encoder.layer[i].attention.output.dense.weight.T
    else:
        q, k, v = attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight
        o = next(getattr(attention, n) for n in ("o_proj", "out_proj", "dense") if hasattr(attention, n))
        o = o.weight.T
    q, k, v = heads(q, H), heads(k, G), heads(v, G)
    for name in "q", "k":
        norm = getattr(attention, name + "_norm", None) or getattr(attention, name + "_layernorm", None)
        if norm is not None:
            w = q if name == "q" else k
            g = gain(norm)
            w = w * (g.view(w.shape[0], 1, -1) if g.numel() > w.shape[-1] else g)
            q, k = (w, k) if name == "q" else (q, w)
    k, v = k.repeat_interleave(H // G, 0), v.repeat_interleave(H // G, 0)
    return q, k, v, o.reshape(H, -1, o.shape[-1])


def folded(m, layers):
    """-> per layer W_Q, W_K, W_V, W_O; whether means are taken away"""
    centred = all(isinstance(l[1], torch.nn.LayerNorm) for l in layers)
    out = []
    for i, (attention, norm, _, _, after, _) in enumerate(layers):
        q, k, v, o = projections(m, i, attention)
        if norm is not None:
            q, k, v = (x * gain(norm)[None, :, None] for x in (q, k, v))
        if after is not None:
            o = o * gain(after)
        if centred:
            q, k, v = (x - x.mean(1, keepdim=True) for x in (q, k, v))
            o = o - o.mean(-1, keepdim=True)
        out.append((q, k, v, o))
    return out, centred


def composition(weights):
    """-> q, k, v scores, per earlier head and later head of a later layer, in that order"""
    qk = [q @ k.transpose(1, 2) for q, k, _, _ in weights]
    ov = [v @ o for _, _, v, o in weights]
    norm = lambda x: torch.linalg.matrix_norm(x)
    scores = {"q_comp": [], "k_comp": [], "v_comp": []}
    for late in range(len(weights)):
        for h in range(len(ov[0])):
            for early in range(late):
                for e in range(len(ov[0])):
                    left = ov[early][e]
                    for name, right in (("q_comp", qk[late][h]), ("k_comp", qk[late][h].T),
                                        ("v_comp", ov[late][h])):
                        scores[name].append(float(norm(left @ right) / norm(left) / norm(right)))
    return scores


def copying(x):
    values = torch.linalg.eigvals(x)
    return float(values.sum().real / values.abs().sum())


def single(tok, text):
    ids = tok(text, add_special_tokens=False)["input_ids"]
    return ids[0] if len(ids) == 1 and ids[0] != tok.unk_token_id else None


def members(tok, words, wraps):
    """-> ids of the class, index of the next of each or -1"""
    forms = [[single(tok, before + w) for w in words] for before in (" ", "")]
    ids = max(forms, key=lambda f: sum(i is not None for i in f))
    kept = [i for i, x in enumerate(ids) if x is not None]
    after = [(i + 1) % len(words) if wraps else i + 1 for i in kept]
    return [ids[i] for i in kept], [kept.index(a) if a in kept else -1 for a in after]


def first_rows(m, layers, embed, ids):
    """-> e + mlp0(norm(e)), mlp0(norm(e))"""
    _, _, norm, mlp, _, after = layers[0]
    e = embed(torch.tensor(ids))
    made = mlp(norm(e)) if norm is not None else mlp(e)
    made = after(made) if after is not None else made
    return e + made, made


def usable(logits):
    return logits.max(-1).values - logits.min(-1).values >= 1e-4


def shares(logits, ids):
    """-> of logits that are not all the same, how many have their own among the five highest, lowest"""
    ids, keep = torch.tensor(ids), usable(logits)
    own = logits[torch.arange(len(ids)), ids][:, None]
    if not keep.any():
        return None, None
    return tuple(float((((logits > own) if up else (logits < own)).sum(-1) < 5)[keep].double().mean())
                 for up in (True, False))


def successor(logits, ids, after):
    keep = usable(logits) & (torch.tensor(after) >= 0)
    if not keep.any():
        return None
    return float((logits[:, ids].argmax(-1) == torch.tensor(after))[keep].double().mean())


def tokens_part(m, weights, centred, layers, embed, final, head, ids, classes):
    w_e = m.get_input_embeddings().weight
    w_u = head.weight.T * gain(final)[:, None]
    if centred:
        w_e = w_e - w_e.mean(-1, keepdim=True)
        w_u = w_u - w_u.mean(0, keepdim=True)
    w_u = w_u - w_u.mean(-1, keepdim=True)
    x, _ = first_rows(m, layers, embed, ids)
    rows = {name: first_rows(m, layers, embed, c[0]) for name, c in classes.items() if c[0]}
    out = {"copy_full": [], "copy_rank": [], "negative_copy": []}
    for name in classes:
        out |= {f"successor_{name}": [], f"successor_mlp_{name}": []}
    logits = lambda rows, ov: head(final(rows @ ov))
    for _, _, v, o in weights:
        for h in range(len(v)):
            small = len(w_e) < 400
            out["copy_full"].append(copying(w_e @ v[h] @ o[h] @ w_u if small else o[h] @ (w_u @ w_e) @ v[h]))
            high, low = shares(logits(x, v[h] @ o[h]), ids)
            out["copy_rank"].append(high)
            out["negative_copy"].append(low)
            for name, (members_of, after) in classes.items():
                for k, of in enumerate(("successor_", "successor_mlp_")):
                    out[of + name].append(successor(logits(rows[name][k], v[h] @ o[h]), members_of, after)
                                          if members_of else None)
    return out


def ordinary(folder, n):
    """-> ids that are no special tokens, the tokeniser's classes"""
    path = pathlib.Path(folder) / "tokenizer.json"
    if not path.exists():
        return list(range(n)), {name: ([], []) for name in CLASSES}
    tok = T.PreTrainedTokenizerFast(tokenizer_file=str(path))
    spec = json.load(open(path, encoding="utf-8"))
    special = {t["id"] for t in spec["added_tokens"] if t["special"]}
    known = set(tok.get_vocab().values())
    return ([i for i in range(n) if i in known and i not in special],
            {name: members(tok, *c) for name, c in CLASSES.items()})


@torch.no_grad()
def case(name, folder):
    config = T.AutoConfig.from_pretrained(folder)
    kind = T.AutoModelForMaskedLM if config.model_type == "bert" else T.AutoModelForCausalLM
    m = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).double().eval()
    layers, embed, final, head = layers_of(m)
    weights, centred = folded(m, layers)
    found = {"model": name, "chance": 1 / math.sqrt(config.hidden_size), **composition(weights),
             "copy": [copying(v[h] @ o[h]) for _, _, v, o in weights for h in range(len(v))]}
    if final is not None:
        ids, classes = ordinary(folder, len(head.weight))
        found["sample"] = len(ids)
        found |= tokens_part(m, weights, centred, layers, embed, final, head, ids, classes)
    return found


def off(got, want):
    """The largest difference, by the largest number wanted; nulls must be where they are wanted."""
    if [x is None for x in got] != [x is None for x in want]:
        return math.inf
    got, want = ([x for x in l if x is not None] for l in (got, want))
    most = max((abs(x) for x in want), default=1)
    return max((abs(x - y) for x, y in zip(got, want)), default=0) / (most or 1)


def compare(program, want, folder):
    run = lambda *args: json.loads(subprocess.run(
        [program, "circuits", "--json", "-q", "-m", folder, *args], capture_output=True, text=True,
        check=True).stdout)
    found, pairs = run("--sample", str(1 << 20)), run("--edges")
    worst = {}
    for key, values in want.items():
        if key in ("model", "chance", "sample"):
            continue
        rows = pairs["pairs"] if key.endswith("_comp") else found["heads"]
        worst[key] = off([r[key] for r in rows], values)
    assert abs(found["chance"] - want["chance"]) < 1e-12 and found["sample"] == want.get("sample")
    print(f"{folder}: within {max(worst.values()):.1e} of the largest (want {TOLERANCE})",
          {k: f"{v:.1e}" for k, v in worst.items() if v > TOLERANCE} or "")
    return max(worst.values()) <= TOLERANCE


def main(args):
    if args:
        sys.exit(not all([compare(args[0], case("", f), f) for f in args[1:]]))
    (HERE / "circuits").mkdir(exist_ok=True)
    with open(HERE / "circuits" / "cases.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(case(n, HERE / n)) for n in FIXTURES) + "\n]\n")


main(sys.argv[1:])
