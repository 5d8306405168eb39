#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the small models of this folder and what the reference library computes from them.

    python3 tests/ref/make.py [CASE ...]

needs torch 2.13.0, transformers 5.23.0, tokenizers 0.23.3, safetensors.  A case is a folder
with config.json, the weights, tokenizer.json, and

    expected.json   tolerance, and "runs": id, text, pair (or texts: a batch), input_ids,
                    tokens, token_type_ids, special_mask, attention_mask, padding_side
    expected.npz    RUN.attn.L [H,N,N], RUN.hidden [N,D] after the final norm, RUN.logits
                    [N,V] or RUN.logits_last [V], RUN.entropy [L,H] (-sum a ln(a + 1e-9),
                    mean over rows, in float64), RUN.argmax [L,H,N]; batches have a leading B

as float32 and eager attention give it, from the weights as they are stored.  Weights are
random, with a spread that makes attention far from uniform; everything is seeded.
"""
import json
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

HERE = pathlib.Path(__file__).parent

# What the tokenisers are trained on, and where the words of the runs come from.
LINES = """
A head looks at one word, or at many; the picture shows which.
The river was wide and the boat was small, but the boat was quick and the river was slow.
Small boats on a wide river do not need a harbour, they need a bank.
She wrote the letter, he read the letter, and nobody kept the letter.
Where is the key? The key is in the door, and the door is in the wall.
Read the row from the left: each row sums to one, each column sums to what it likes.
The gardener who watered the roses forgot the tulips that she had planted herself.
""".split("\n")[1:-1]
PLAIN = "The key is in the door, and the door is in the wall."
ODD = "Don't: 42 roses cost 3.50 — 窗外下雨 ñandú 👀"
PAIR = ("Where is the boat?", "It is on the river.")
LONG = " ".join(LINES[1:3])         # over 32 tokens: two blocks of rows
LONG_IN_BYTES = LINES[1]
ODD_IN_BYTES = "Don't: 42 窗 ñ 👀"
SHORT = "Read the key."


# ---- tokenisers ----

def word_pieces():
    """A vocabulary in which common words are whole and others come in pieces."""
    words = sorted({w for line in LINES for w in line.lower().split() if w.isalpha()})
    letters = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789.,:;?!'-—窗外下n"))
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters,
             *("##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"), "##er", "##ing", *words]
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(dict.fromkeys(vocab))},
                                   unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    t.decoder = decoders.WordPiece()
    t.add_special_tokens([AddedToken(s, special=True)
                          for s in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")])
    return t


def byte_pairs(special, pattern=None, first=None):
    """Byte-level BPE, with GPT-2's pattern or the one given."""
    t = Tokenizer(models.BPE())
    split = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    t.pre_tokenizer = split if pattern is None else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated"), split])
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(LINES, trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    if first is not None:
        t.post_processor = processors.TemplateProcessing(
            single=f"{first} $A", pair=f"{first} $A {first}:1 $B:1",
            special_tokens=[(first, t.token_to_id(first))])
    return t


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
          r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


# ---- weights ----

def spread(model, seed):
    """Random weights whose scores have a standard deviation of about 1.5."""
    g = torch.Generator().manual_seed(seed)
    for name, p in model.named_parameters():
        if p.dim() == 1:
            centre = 1.0 if "norm" in name.lower() or ".ln_" in name or "ln_f" in name else 0.0
            centre = 0.0 if name.endswith("bias") else centre
            p.data = centre + 0.15 * torch.randn(p.shape, generator=g)
        else:
            p.data = 1.25 * torch.randn(p.shape, generator=g) / p.shape[-1] ** 0.5
    return model


def store(folder, model, dtype, rename=lambda n: n, drop=(), shards=1):
    """Writes the weights; the model keeps them as they were rounded."""
    for p in model.parameters():
        p.data = p.data.to(dtype).float()
    tied = {id(model.get_output_embeddings().weight)} if drop else set()
    tensors = {rename(n): p.data.to(dtype).contiguous().clone()
               for n, p in model.state_dict(keep_vars=True).items()
               if n not in drop or id(p) not in tied}
    if shards == 1:
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
        return
    names, files = sorted(tensors), {}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = {n: tensors[n] for n in names[i::shards]}
        save_file(part, folder / file, {"format": "pt"})
        files.update({n: file for n in part})
    size = sum(t.numel() * t.element_size() for t in tensors.values())
    write_json(folder / "model.safetensors.index.json",
               {"metadata": {"total_size": size}, "weight_map": dict(sorted(files.items()))})


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


# ---- expected values ----

def forward(model, ids, types, mask, double=False):
    """[B, H, N, N] a layer, [B, N, D], [B, N, V] or None."""
    model = model.double() if double else model.float()
    args = {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}
    if model.config.model_type == "bert":
        args["token_type_ids"] = torch.tensor(types)
    final = {}
    base = model.base_model
    norm = getattr(base, "ln_f", None) or getattr(base, "norm", None)
    hook = norm and norm.register_forward_hook(lambda m, i, o: final.update(hidden=o))
    with torch.no_grad():
        out = model(**args, output_attentions=True, output_hidden_states=True)
    if hook:
        hook.remove()
    model.float()
    hidden = final.get("hidden", out.hidden_states[-1])
    logits = getattr(out, "logits", None)
    return ([a.numpy() for a in out.attentions], hidden.numpy(),
            None if logits is None else logits.numpy())


def arrays_of(attn, hidden, logits, single, full):
    """The arrays of one run, without its prefix."""
    stack = np.stack(attn, 1).astype(np.float64)                # [B, L, H, N, N]
    out = {f"attn.{l}": a for l, a in enumerate(attn)}
    out["hidden"] = hidden
    out["entropy"] = (-stack * np.log(stack + 1e-9)).sum(-1).mean(-1)
    out["argmax"] = stack.argmax(-1).astype(np.int32)
    if logits is not None and single:
        out["logits" if full else "logits_last"] = logits if full else logits[:, -1]
    return {k: v[0] if single else v for k, v in out.items()}


def encode(tok, text):
    return tok.encode(*text) if isinstance(text, tuple) else tok.encode(text)


def pad(encodings, side, pad_id):
    n = max(len(e.ids) for e in encodings)
    out = {"input_ids": [], "attention_mask": [], "token_type_ids": [], "tokens": []}
    for e in encodings:
        room = n - len(e.ids)
        for key, row, fill in (("input_ids", e.ids, pad_id), ("attention_mask", [1] * len(e.ids), 0),
                               ("token_type_ids", e.type_ids, 0), ("tokens", e.tokens, "")):
            out[key].append([fill] * room + row if side == "left" else row + [fill] * room)
    return out


def expect(folder, name, model, tok, texts, batch, side, notes):
    model = model.eval()
    runs, arrays, worst = [], {}, {"attn": 0.0, "hidden": 0.0}
    for i, text in enumerate([*texts, batch]):
        single = text is not batch
        run = {"id": f"r{i}" if single else "b0"}
        rows = [text] if single else batch
        padded = pad([encode(tok, t) for t in rows], side, 0)
        run.update({k: v[0] if single else v for k, v in padded.items()})
        if single:
            run["text"], run["pair"] = text if isinstance(text, tuple) else (text, None)
            run["special_mask"] = encode(tok, text).special_tokens_mask
            del run["attention_mask"]
        else:
            run["texts"] = [list(t) if isinstance(t, tuple) else t for t in rows]
            run["padding_side"] = side
        args = padded["input_ids"], padded["token_type_ids"], padded["attention_mask"]
        single_precision, exact = forward(model, *args), forward(model, *args, double=True)
        if single:
            worst["attn"] = max([worst["attn"], *(np.abs(a - b).max() for a, b in
                                                  zip(single_precision[0], exact[0]))])
            for a, b in zip(single_precision[1:], exact[1:]):
                if a is not None:
                    worst["hidden"] = max(worst["hidden"], np.abs(a - b).max())
        found = arrays_of(*single_precision, single, i == 0)
        run["arrays"] = [f"{run['id']}.{k}" for k in found]
        arrays.update({f"{run['id']}.{k}": np.ascontiguousarray(v) for k, v in found.items()})
        runs.append(run)
    attn = max(2e-5, 20 * float(worst["attn"]))
    write_json(folder / "expected.json", {
        "case": name, "family": model.config.model_type, "architecture": type(model).__name__,
        "notes": notes, "made_with": {"torch": torch.__version__.split("+")[0],
                                      "transformers": transformers.__version__},
        "tolerance": {"attn_abs": attn, "hidden_logits_abs": max(1e-4, 20 * float(worst["hidden"])),
                      "entropy_abs": 20 * attn},
        "f32_vs_f64_max_abs": {k: float(v) for k, v in worst.items()}, "runs": runs})
    np.savez(folder / "expected.npz", **arrays)


# ---- cases ----

def style4(config):
    """The keys of config.json as transformers 4 wrote them."""
    config["torch_dtype"] = config.pop("dtype")
    rope = config.pop("rope_parameters", None)
    if rope is not None:
        config["rope_theta"] = rope.pop("rope_theta")
        config["rope_scaling"] = {"type": rope.pop("rope_type"), **rope}
    config["transformers_version"] = "4.44.2"
    return config


def finish(folder, model, dtype, old_style=False):
    config = json.loads(model.config.to_json_string())
    config["architectures"] = [type(model).__name__]
    config["dtype"] = str(dtype).removeprefix("torch.")
    write_json(folder / "config.json", style4(config) if old_style else config)


def case_bert(folder):
    tok = word_pieces()
    model = spread(transformers.BertForMaskedLM(transformers.BertConfig(
        vocab_size=tok.get_vocab_size(), hidden_size=24, num_hidden_layers=2,
        num_attention_heads=3, intermediate_size=40, max_position_embeddings=64,
        attn_implementation="eager")), 11)
    store(folder, model, torch.float32, drop=("cls.predictions.decoder.weight",
                                              "cls.predictions.decoder.bias"))
    finish(folder, model, torch.float32)
    expect(folder, "bert", model, tok, [PLAIN, PAIR, ODD, LONG], [PAIR, SHORT], "right",
           "masked-language head, tensors behind bert., a pair with types")
    return tok


def case_bert_old(folder):
    def rename(n):
        if "LayerNorm" in n:
            n = n.replace(".weight", ".gamma").replace(".bias", ".beta")
        return n
    tok = word_pieces()
    model = spread(transformers.BertModel(transformers.BertConfig(
        vocab_size=tok.get_vocab_size() + 3, hidden_size=32, num_hidden_layers=3,
        num_attention_heads=4, intermediate_size=48, max_position_embeddings=48,
        hidden_act="gelu_new", layer_norm_eps=1e-5, attn_implementation="eager")), 12)
    store(folder, model, torch.float16, rename)
    finish(folder, model, torch.float16, old_style=True)
    expect(folder, "bert_old", model, tok, [PLAIN, PAIR], [SHORT, PAIR, ODD], "right",
           "f16, no prefix, norms as gamma and beta, a pooler that nothing uses, more rows "
           "in the embedding than the tokeniser has ids")
    return tok


def case_gpt2(folder):
    tok = byte_pairs(["<|endoftext|>"])
    model = spread(transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=tok.get_vocab_size(), n_embd=24, n_layer=2, n_head=3, n_positions=72,
        bos_token_id=0, eos_token_id=0, scale_attn_by_inverse_layer_idx=True, attn_implementation="eager")), 13)
    store(folder, model, torch.float32, drop=("lm_head.weight",), shards=3)
    finish(folder, model, torch.float32)
    expect(folder, "gpt2", model, tok, [PLAIN, ODD_IN_BYTES, LONG_IN_BYTES], [PLAIN, SHORT], "right",
           "three shards, tied head, scores also divided by layer + 1")
    return tok


def case_llama(folder):
    tok = byte_pairs(["<|start|>", "<|stop|>"], LLAMA3, "<|start|>")
    model = spread(transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=tok.get_vocab_size(), hidden_size=24, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=10, intermediate_size=40,
        max_position_embeddings=96, rms_norm_eps=1e-5, tie_word_embeddings=False,
        rope_parameters={"rope_type": "linear", "factor": 3.0, "rope_theta": 5000.0},
        bos_token_id=0, eos_token_id=1, attn_implementation="eager")), 14)
    store(folder, model, torch.bfloat16)
    finish(folder, model, torch.bfloat16, old_style=True)
    expect(folder, "llama", model, tok, [PLAIN, ODD_IN_BYTES, LONG_IN_BYTES], [PLAIN, SHORT], "left",
           "bf16, grouped keys and values, head_dim is not hidden / heads, linear rope")
    return tok


CASES = {"bert": case_bert, "bert_old": case_bert_old, "gpt2": case_gpt2, "llama": case_llama}


def main(names):
    torch.set_num_threads(1)
    for name in names or CASES:
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        CASES[name](folder).save(str(folder / "tokenizer.json"))
        size = sum(f.stat().st_size for f in folder.iterdir())
        print(f"{name}: {size // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
