#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes bart, the encoder-decoder that runs from text, with make.py's tools.

    python3 tests/ref/make_seq2seq.py

Post-norm, two depths and widths, byte-level BPE with a template.  expected.npz has
RUN.attn.L, dec.L, cross.L, enc_hidden, hidden, logits_last.
"""
import numpy as np
import torch
import transformers

from make import HERE, LINES, PLAIN, SHORT, byte_pairs, spread, store, write_json
from tokenizers import processors

TARGET = LINES[0]


def run(model, name, ids, dec):
    with torch.no_grad():
        out = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([dec]),
                    output_attentions=True, output_hidden_states=True)
    arrays = {}
    for prefix, maps in (("attn", out.encoder_attentions), ("dec", out.decoder_attentions),
                         ("cross", out.cross_attentions)):
        arrays.update({f"{name}.{prefix}.{i}": m[0].numpy() for i, m in enumerate(maps)})
    arrays[f"{name}.enc_hidden"] = out.encoder_last_hidden_state[0].numpy()
    arrays[f"{name}.hidden"] = out.decoder_hidden_states[-1][0].numpy()
    arrays[f"{name}.logits_last"] = out.logits[0, -1].numpy()
    return arrays


def write(folder, runs, arrays):
    write_json(folder / "expected.json", {
        "tolerance": {"attn_abs": 2e-5, "hidden_logits_abs": 2e-4, "entropy_abs": 4e-4},
        "runs": runs})
    np.savez(folder / "expected.npz", **{k: v.astype(np.float32) for k, v in arrays.items()})


def make(name, model, texts, encode, start, dtype, drop=()):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    spread(model, 7)
    store(folder, model, dtype, drop=drop)
    config = model.config.to_dict()
    for key in ("transformers_version", "_name_or_path", "id2label", "label2id"):
        config.pop(key, None)
    write_json(folder / "config.json", config)
    runs, arrays = [], {}
    for i, (text, target) in enumerate(texts):
        ids, dec = encode(text), [start] + encode(target)
        runs.append({"id": f"r{i}", "text": text, "input_ids": ids,
                     "tokens": [str(t) for t in ids], "token_type_ids": [0] * len(ids),
                     "decoder_text": target, "decoder_input_ids": dec})
        arrays.update(run(model.eval(), f"r{i}", ids, dec))
    write(folder, runs, arrays)


def bart():
    t = byte_pairs(["<s>", "<pad>", "</s>"])
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)])
    config = transformers.BartConfig(
        vocab_size=t.get_vocab_size(), d_model=24, encoder_layers=2, decoder_layers=3,
        encoder_attention_heads=4, decoder_attention_heads=3, encoder_ffn_dim=40,
        decoder_ffn_dim=33, max_position_embeddings=64, decoder_start_token_id=2,
        attn_implementation="eager")
    model = transformers.BartForConditionalGeneration(config)
    make("bart", model, [(SHORT, PLAIN), (PLAIN, TARGET)], lambda s: t.encode(s).ids, 2,
         torch.float32, ("lm_head.weight", "model.encoder.embed_tokens.weight",
                         "model.decoder.embed_tokens.weight"))
    t.save(str(HERE / "bart" / "tokenizer.json"))


if __name__ == "__main__":
    torch.manual_seed(0)
    bart()
