#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes heads/: logits of the reference library's classifiers.

    python3 tests/ref/make_heads.py [FOLDER]

needs what make.py needs.  cases.json holds command lines of `mha-viz export --logits`, with
NAME.npz beside it: the logits of the model in the folder NAME, which has one layer of width 8
and random weights, seeded.  A span's two columns are the start's and the end's.
"""
import json
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers as T

HERE = pathlib.Path(__file__).parent
OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "heads"
WHERE = OUT if len(sys.argv) > 1 else "tests/ref/heads"
LABELS = {0: "bad", 1: "好", 2: "so so"}
IDS = [2, 7, 9, 5, 4, 8, 3]
NONE = dict(bos_token_id=None, eos_token_id=None, pad_token_id=None)
BERT = dict(vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=8, max_position_embeddings=12, type_vocab_size=1)
ROBERTA = dict(BERT, pad_token_id=0)
MODERN = dict(BERT, bos_token_id=None, eos_token_id=None, pad_token_id=None, sep_token_id=None,
              cls_token_id=None)
LLAMA = dict(vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
             num_key_value_heads=1, intermediate_size=8, max_position_embeddings=12, **NONE)
BART = dict(vocab_size=10, d_model=8, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=8,
            decoder_ffn_dim=8, max_position_embeddings=12, pad_token_id=1, bos_token_id=0,
            eos_token_id=3, decoder_start_token_id=3, forced_eos_token_id=None)
T5 = dict(vocab_size=10, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2,
          relative_attention_num_buckets=4, relative_attention_max_distance=8,
          eos_token_id=3, decoder_start_token_id=0)
# GPT2's pad stands at the end of its text: the head reads the row before it.
GPT2 = dict(vocab_size=10, n_positions=12, n_embd=8, n_layer=1, n_head=2, bos_token_id=None,
            eos_token_id=None, pad_token_id=3)
OPT = dict(vocab_size=10, hidden_size=8, word_embed_proj_dim=4, ffn_dim=8, num_hidden_layers=1,
           num_attention_heads=2, max_position_embeddings=12, **NONE)
XLNET = dict(vocab_size=10, d_model=8, n_layer=1, n_head=2, d_inner=8)
WHISPER = dict(vocab_size=10, num_mel_bins=2, encoder_layers=1, encoder_attention_heads=2,
               decoder_layers=1, decoder_attention_heads=2, d_model=8, encoder_ffn_dim=8,
               decoder_ffn_dim=8, max_source_positions=3, max_target_positions=4,
               classifier_proj_size=12, pad_token_id=0)
CASES = [
    ("BertForSequenceClassification", BERT), ("BertForTokenClassification", BERT),
    ("BertForQuestionAnswering", BERT), ("BertForNextSentencePrediction", BERT),
    ("BertForMultipleChoice", BERT),
    ("RobertaForSequenceClassification", ROBERTA),
    ("DistilBertForSequenceClassification",
     dict(vocab_size=10, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=12)),
    ("ElectraForSequenceClassification", dict(BERT, embedding_size=4)),
    ("ElectraForMultipleChoice", BERT),
    ("AlbertForSequenceClassification", dict(BERT, embedding_size=4)),
    ("DebertaForSequenceClassification", dict(BERT, pooler_hidden_act="relu")),
    ("DebertaV2ForMultipleChoice", BERT),
    ("ModernBertForSequenceClassification", dict(MODERN, classifier_pooling="mean")),
    ("ModernBertForQuestionAnswering", MODERN),
    ("BigBirdForSequenceClassification", dict(BERT, attention_type="original_full")),
    ("XLNetForSequenceClassification", XLNET), ("XLNetForQuestionAnsweringSimple", XLNET),
    ("ReformerForSequenceClassification",
     dict(vocab_size=10, attention_head_size=4, hidden_size=8, num_attention_heads=2,
          feed_forward_size=8, attn_layers=["local"], local_attn_chunk_length=4,
          axial_pos_embds=False, max_position_embeddings=12, is_decoder=False, pad_token_id=0)),
    ("GPT2ForSequenceClassification", GPT2), ("OPTForSequenceClassification", OPT),
    ("LlamaForSequenceClassification", dict(LLAMA, pad_token_id=3)),
    ("Qwen2ForTokenClassification", LLAMA), ("LlamaForQuestionAnswering", LLAMA),
    ("T5ForSequenceClassification", T5), ("T5ForTokenClassification", T5),
    ("BartForSequenceClassification", BART),
    ("MBartForSequenceClassification", dict(BART, decoder_start_token_id=None)),
    ("WhisperForAudioClassification", WHISPER),
]
# Other families with the same rows of the table of heads: only into a FOLDER.
MORE = [
    ("XLMRobertaForTokenClassification", ROBERTA), ("CamembertForMultipleChoice", ROBERTA),
    ("MPNetForSequenceClassification", dict(BERT, pad_token_id=1)),
    ("DebertaV2ForQuestionAnswering", BERT), ("DebertaV2ForSequenceClassification", BERT),
    ("LongformerForSequenceClassification", dict(ROBERTA, attention_window=4)),
    ("BigBirdForMultipleChoice", dict(BERT, attention_type="original_full")),
    ("ModernBertForTokenClassification", MODERN), ("ModernBertForMultipleChoice", MODERN),
    ("XLNetForMultipleChoice", XLNET), ("DistilBertForMultipleChoice",
     dict(vocab_size=10, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=12)),
    ("GPT2ForTokenClassification", GPT2), ("GPT2ForQuestionAnswering", GPT2),
    ("GPTNeoXForQuestionAnswering",
     dict({k: v for k, v in LLAMA.items() if "key" not in k}, rope_parameters=dict(
         rope_type="default", rope_theta=1e4, partial_rotary_factor=0.5))),
    ("MistralForQuestionAnswering", LLAMA), ("Qwen2ForQuestionAnswering", LLAMA),
    ("Qwen3ForQuestionAnswering", dict(LLAMA, head_dim=4)), ("OPTForQuestionAnswering", OPT),
    ("GemmaForSequenceClassification", dict(LLAMA, head_dim=4, pad_token_id=3)),
    ("T5ForQuestionAnswering", T5), ("MT5ForSequenceClassification", T5),
    ("BartForQuestionAnswering", BART),
]


def config_of(cls, numbers):
    one = cls.__name__.endswith(("QuestionAnswering", "Simple", "MultipleChoice", "Prediction"))
    labels = {} if one else dict(id2label=LABELS, label2id={v: k for k, v in LABELS.items()})
    return cls.config_class(**numbers, **labels)


def logits_of(name, model):
    if name.startswith("Whisper"):
        x = torch.randn(1, 2, 6)
        np.save(OUT / f"{name}.npy", x[0].numpy())
        return model(input_features=x).logits
    ids = torch.tensor([IDS])
    if "MultipleChoice" in name:
        return model(input_ids=ids[:, None]).logits
    out = model(input_ids=ids)
    if hasattr(out, "start_logits"):
        return torch.stack([out.start_logits[0], out.end_logits[0]], 1)
    return out.logits[0] if out.logits.dim() == 3 else out.logits


def write(name, numbers):
    cls = getattr(T, name)
    torch.manual_seed(11)
    model = cls(config_of(cls, numbers)).eval()
    for p in model.parameters():
        p.data = (torch.randn(p.shape) * 0.5).half().float()
    model.half().save_pretrained(OUT / name)
    (OUT / name / "generation_config.json").unlink(missing_ok=True)
    model = cls.from_pretrained(OUT / name, attn_implementation="eager", dtype=torch.float32).eval()
    with torch.no_grad():
        found = logits_of(name, model)
    assert found.abs().max() > 0.05, found
    with open(OUT / f"{name}.npz", "wb") as f:
        np.savez(f, logits=found.numpy())
    text = ["--input", f"{WHERE}/{name}.npy"] if name.startswith("Whisper") else \
        ["--ids", ",".join(map(str, IDS))]
    return {"name": name, "argv": ["-m", f"{WHERE}/{name}", "--logits", *text]}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    cases = [write(*case) for case in CASES + (MORE if len(sys.argv) > 1 else [])]
    (OUT / "cases.json").write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
