#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the program fuzz target beside itself: command lines, one argument a line,
then their files, each after a line "== NAME".  The models are those of support/folder.c.

    python3 tests/fuzz/corpus/program_seeds.py
"""
import io
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent / "program"
TEXT = "the key is in the door"
LINES = b"the key is in the door\nthe cat saw the dog\n\nthe key\n"


def npy(shape, values, kind="f"):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (
        {"f": "<f4", "?": "|b1"}[kind], ", ".join(map(str, shape)))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + \
        struct.pack("<%d%s" % (len(values), kind), *values)


def seed(name, *args, **files):
    out = io.BytesIO()
    out.write("\n".join(args).encode())
    for file, data in files.items():
        data = data if isinstance(data, bytes) else data.encode()
        out.write(b"\n== " + file.replace("__", ".").encode() + b"\n" + data)
    (HERE / name).write_bytes(out.getvalue())


def tokenizer(model, **parts):
    return json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                       "normalizer": None, "pre_tokenizer": None, "post_processor": None,
                       "decoder": None, "model": model} | parts)


words = {w: i for i, w in enumerate(["[UNK]", "[CLS]", "[SEP]", "the", "key", "is", "in", "door",
                                     "##s", "t", "h", "e", "th", "\u2581the", "\u2581", "ab"])}
added = [{"id": i, "content": c, "single_word": False, "lstrip": False, "rstrip": True,
          "normalized": False, "special": True} for i, c in enumerate(["[UNK]", "[CLS]", "[SEP]"])]
bert = {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "added_tokens": added,
        "post_processor": {"type": "TemplateProcessing", "single": [
            {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "[SEP]", "type_id": 0}}], "pair": [
            {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {s: {"id": s, "ids": [i], "tokens": [s]}
                               for i, s in ((1, "[CLS]"), (2, "[SEP]"))}}}
wordpiece = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
             "max_input_chars_per_word": 100, "vocab": words}
bpe = {"type": "BPE", "dropout": None, "unk_token": "[UNK]", "continuing_subword_prefix": None,
       "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": True, "ignore_merges": True,
       "vocab": words, "merges": ["t h", "th e"]}
unigram = {"type": "Unigram", "unk_id": 0, "vocab": [["[UNK]", 0.0], ["\u2581the", -1.5],
                                                     ["\u2581", -2.0], ["key", -3.0], ["t", -4.0]]}
split = {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s+(?!\\S)|'s"}, "behavior": "Isolated",
     "invert": False},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False}]}
normal = {"type": "Sequence", "normalizers": [
    {"type": "NFKC"}, {"type": "Lowercase"}, {"type": "StripAccents"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
    {"type": "Prepend", "prepend": "\u2581"}]}

HERE.mkdir(exist_ok=True)
for name, model, parts in (
        ("wordpiece", wordpiece, bert), ("bpe", bpe, {"pre_tokenizer": split}),
        ("unigram", unigram, {"normalizer": normal, "pre_tokenizer": {
            "type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
            "split": True}}),
        ("wordlevel", {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"},
         {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
             {"type": "Whitespace"}, {"type": "Digits", "individual_digits": True},
             {"type": "Punctuation", "behavior": "MergedWithNext"}]}})):
    seed("tok_" + name, "tokens", "-m", ".", "--json", "-f", "lines",
         tokenizer__json=tokenizer(model, **parts), lines=LINES)
    seed("stats_" + name, "stats", "-m", ".", "--tsv", TEXT,
         tokenizer__json=tokenizer(model, **parts))

seed("help", "help", "stats")
seed("version", "--version")
seed("program_help", "--help")
seed("short_help", "mechanisms", "-h")
seed("nothing", "nothing")
seed("completion", "completion", "bash")
seed("values", "completion", "--values", "stats", "sort")
seed("stats", "stats", "-m", "bert", TEXT)
seed("stats_all", "stats", "--json", "--sort", "entropy", "--reverse", "--top", "3", "-l", "0,-1",
     "-H", "L0H1,L1H0", "--hide", "first,special,2-3", "--renorm", "--merge", "words", "-m", ".",
     TEXT)
seed("stats_links", "stats", "--links", "--entropy-eps", "1e-9", "-m", ".", "a b", "c d")
seed("stats_gpt2", "stats", "-m", "gpt2/", "--generate", "5", "-s", "decoder", TEXT)
seed("stats_stdin", "stats", "--pairs", "-m", ".", "--json", stdin=b"the key\tthe door\nthe\tis\n")
seed("stats_jsonl", "stats", "--jsonl", "--tsv", "-f", "x.jsonl", "-m", ".", "-o", "out/",
     x__jsonl='{"text":"the key","pair":"is"}\n{"ids":[1,2,3],"type_ids":[0,0,1]}\n[]\n')
seed("bart", "stats", "-m", "bart/", "-s", "cross", TEXT, "the door")
seed("bart_generate", "export", "-m", "bart/", "-o", "a.npz", "--logits", "--hidden", "--all", TEXT)
seed("export_npy", "export", "-m", ".", "--format", "npy", "-o", "-", "--ids", "1,2,3",
     "--type-ids", "0,0,1")
seed("export_words", "export", "-m", ".", "-o", "out/", "--word-ids", "-f", "lines", lines=LINES)
seed("llama", "stats", "-m", "llama.gguf", "--dtype", "q8_0", TEXT)
seed("diff_dtype", "diff", "--json", "-m", ".", "--dtype", "f32", "--dtype", "bf16", TEXT)
seed("diff_texts", "diff", "-m", ".", "--from", "key", "--tolerance", "0.01", TEXT,
     "the cat saw the dog")
seed("diff_ids", "diff", "-m", ".", "--ids", "1,2,3", "--ids", "1,3,2", "--summary", "--tsv")
seed("diff_masks", "diff", "-m", ".", "--mask", "none", "--mask", "causal+padding:1", TEXT)
seed("diff_attention", "diff", "--attention", "rows.npz", "--attention", "decoder.npz", "-o", "d.png")
seed("attention", "stats", "--attention", "rows.npz", "--json")
seed("mask", "stats", "-m", ".", "--mask", "m.npy", "--mask-value", "-1e4", "--ids", "1,2,3",
     m__npy=npy([3, 3], [1, 0, 0, 1, 1, 0, 1, 1, 1], "?"))
seed("mask_block", "stats", "-m", ".", "--mask", "block:0-1,1-2+keys:k.npy", "--ids", "1,2,3",
     k__npy=npy([3], [1, 1, 0], "?"))
seed("stability", "stability", "-m", ".", "--runs", "2", "--noise", "0.5", "--relative-noise",
     "--heads-alone", TEXT)
seed("mechanisms", "mechanisms", "-m", ".", "--runs", "0", "--propagate", TEXT)
seed("mechanisms_npz", "mechanisms", "--only", "exact,local,top-k,lsh,favor", "--runs", "0",
     "--budget", "3", "-o", "m.npz", "-m", ".", TEXT)
seed("mechanisms_png", "mechanisms", "-c", "2", "--only", "global,sinks,strided,fixed,block,gqa",
     "-o", "m.svg", "--runs", "0", "-m", ".", TEXT)
seed("heatmap", "heatmap", "-m", ".", "--cell", "4", "-o", "h.png", TEXT)
seed("heatmap_svg", "heatmap", "-m", ".", "-o", "h.svg", "--title", "a <&> \u05d0 \u6211", "--cmap",
     "magma", "--scale", "log", "--shared", "--vmin", "0.1", "--vmax", "0.9", "-H", "0", TEXT)
seed("heatmap_pdf", "heatmap", "-m", ".", "-o", "-", "--format", "pdf", "--pool", "mean",
     "--columns", "1", "--no-metadata", "--font", "serif", "--ids", "1,2")
seed("info", "info", "-m", "bart/", "-n", "9", "--json")
seed("info_layer", "info", "-m", "layer.safetensors", "--heads", "3")
seed("info_attention", "info", "--attention", "decoder.npz")
seed("layer", "stats", "-m", "layer.safetensors", "--heads", "3", "--tokens", "a b c")
seed("layer_memory", "stats", "-m", "decoder.safetensors", "--heads", "3", "--memory", "random",
     "--shape", "2x4", "--seed", "7", "--activation", "gelu", "--norm-first", "--memory-mask",
     "causal")
seed("layer_shaw", "heatmap", "-m", "shaw.safetensors", "--relative", "shaw", "--shape", "3", "-o",
     "s.svg")
seed("layer_input", "stats", "-m", "layer.safetensors", "--heads", "3", "--input", "x.npy",
     x__npy=npy([2, 12], [i / 24 for i in range(24)]))
seed("names", "info", "-m", "layer.safetensors", "--tensor-names",
     "q_linear,k_linear,v_linear,out", "--prefix", "a.", "--fused", "heads", "--matrix-order", "in-out",
     "--zero-attn", "--heads", "2")
seed("qkv", "stats", "--qkv", "q.npy,k.npy,k.npy", "--heads", "2", "--score-scale", "0.5",
     q__npy=npy([2, 4], range(8)), k__npy=npy([3, 4], range(12)))
seed("vit", "stats", "-m", "vit/", "--input", "p.npy", p__npy=npy([3, 4, 4], range(48)))
seed("reformer", "stats", "-m", "reformer/", "--ids", "1,2,3,4,5", "--rotations", "r.npy",
     r__npy=npy([1, 2, 4, 2], range(16)))
seed("longformer", "stats", "-m", "longformer/", "--ids", "1,2,3,4,5", "--global", "0,2-3")
seed("init", "init", "--d-model", "8", "--heads", "2", "-o", "l.safetensors", "--encoder",
     "--relative", "--max-len", "5")
seed("init_decoder", "init", "--d-model", "8", "--heads", "2", "--kv-heads", "1", "--decoder",
     "--layers", "2", "--d-ff", "9", "--no-bias", "-o", "-")
seed("init_separable", "init", "--d-model", "9", "--d-k", "3", "--d-v", "2", "--heads", "3",
     "--separable", "--zero-attn", "--seed", "99999999999", "-o", "out/l.safetensors")
seed("full", "stats", "-m", ".", "--ids", "1,2", "-o", "/dev/full")
seed("words", "tokens", "-m", ".", "--words", "--truncate", "--no-special", "the key is", "a b")
seed("pretokenized", "tokens", "-m", ".", "--pretokenized", "-v", "[CLS] the key")
seed("decoder_ids", "stats", "-m", "bart/", "--ids", "1,2,3", "--decoder-ids", "2,3")
seed("config", "info", "-m", ".", "--tsv", config__json=json.dumps(
    {"model_type": "bert", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 4}))
seed("index", "info", "-m", "gpt2/model.safetensors.index.json", x__json=json.dumps(
    {"weight_map": {"wte.weight": "../model.safetensors"}}))
