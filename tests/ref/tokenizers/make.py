#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small tokenisers and what the reference library makes of some texts.

Needs tokenizers 0.23.3, transformers 5.23.0 and sentencepiece 0.2.3.  Everything is
made from the text in texts.py:

    python3 tests/ref/tokenizers/make.py

Each folder gets cases.jsonl: text, pair, ids, tokens, offsets (characters),
type_ids, special_mask, ids_no_special.
"""
import collections
import io
import json
import pathlib
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tokenizers import (Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)
from transformers import (BertTokenizerFast, CamembertTokenizer, CLIPTokenizer, GPT2TokenizerFast,
                          M2M100Tokenizer, MBart50Tokenizer, MBartTokenizer, NllbTokenizer,
                          PegasusTokenizer, ReformerTokenizer, RobertaTokenizerFast)

from texts import PAIRS, TEXT, TEXTS, random_texts

HERE = pathlib.Path(__file__).resolve().parent


def case(text, pair, enc, bare):
    return {"text": text, "pair": pair, "ids": enc.ids, "tokens": enc.tokens,
            "offsets": enc.offsets, "type_ids": enc.type_ids,
            "special_mask": enc.special_tokens_mask, "ids_no_special": bare.ids}


def write_cases(folder, tok, more=()):
    tok.no_padding()
    tok.no_truncation()
    with open(folder / "cases.jsonl", "w", encoding="utf-8") as f:
        for text, pair in [(t, None) for t in TEXTS + [*more] + random_texts(20)] + PAIRS:
            enc = tok.encode(text, pair)
            bare = tok.encode(text, pair, add_special_tokens=False)
            # An added token is named as the vocabulary has it, without the
            # blanks that it took with it.
            c = case(text, pair, enc, bare)
            c["tokens"] = [tok.id_to_token(i) for i in enc.ids]
            f.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")


def save(name, tok):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(
        json.dumps(json.loads(tok.to_str()), ensure_ascii=False, separators=(",", ":"))
        + "\n", encoding="utf-8")
    write_cases(folder, Tokenizer.from_file(str(folder / "tokenizer.json")))


def train_bpe(pre, vocab_size, specials=()):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(TEXT.splitlines(True), trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=list(specials), show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    return tok


def frequent_pieces(words, n):
    """Characters, whole and inside words, and the n most frequent longer pieces of
    each kind; the library's own trainer gives another vocabulary on every run."""
    chars = sorted({c for w in words for c in w})
    starts, rests = collections.Counter(), collections.Counter()
    for w in words:
        starts.update(w[:k] for k in range(2, len(w) + 1))
        rests.update("##" + w[i:i + k] for i in range(1, len(w)) for k in range(2, 5)
                     if i + k <= len(w))
    pieces = chars + ["##" + c for c in chars]
    for counter in (starts, rests):
        by_count = sorted(counter.items(), key=lambda x: (-x[1], x[0]))
        pieces += [p for p, _ in by_count[:n]]
    return pieces


def wordpiece():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    norm, pre = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words = [w for w, _ in pre.pre_tokenize_str(norm.normalize_str(TEXT))]
    vocab = {p: i for i, p in enumerate(specials + frequent_pieces(words, 90))}
    tok = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tok.normalizer, tok.pre_tokenizer = norm, pre
    tok.add_special_tokens(specials)
    tok.decoder = decoders.WordPiece()
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tok


def gpt2():
    tok = train_bpe(pre_tokenizers.ByteLevel(add_prefix_space=False), 420)
    tok.add_special_tokens(["<|endoftext|>"])
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    return tok


def clip_files():
    """Merges of words that end with a mark, learnt by the library, in the files of CLIP."""
    tok = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    tok.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"),
                             "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tok.train_from_iterator(TEXT.splitlines(True), trainers.BpeTrainer(
        vocab_size=720, show_progress=False, initial_alphabet=alphabet, end_of_word_suffix="</w>"))
    merges = [m for m in json.loads(tok.to_str())["model"]["merges"]]
    pieces = alphabet + [c + "</w>" for c in alphabet]
    pieces += list(dict.fromkeys("".join(m) for m in merges))
    pieces = list(dict.fromkeys(pieces)) + ["<|startoftext|>", "<|endoftext|>"]
    return {"vocab.json": json.dumps({p: i for i, p in enumerate(pieces)}, ensure_ascii=False,
                                     separators=(",", ":")) + "\n",
            "merges.txt": "#version: 0.2\n" + "".join(" ".join(m) + "\n" for m in merges)}


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
          r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def llama3():
    pre = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok = train_bpe(pre, 420)
    tok.model.ignore_merges = True
    tok.add_special_tokens(["<s>", "</s>"])
    bos = tok.token_to_id("<s>")
    tok.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1",
                                      special_tokens=[("<s>", bos)])])
    return tok


def roberta():
    """Prefix space, trimmed offsets, NFC, and added tokens of every kind."""
    from tokenizers import AddedToken
    tok = train_bpe(pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=True)]), 400, ["<s>", "</s>"])
    tok.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tok.add_tokens([AddedToken("keep", single_word=True, normalized=False),
                    AddedToken("ÉCOLE", rstrip=True, normalized=True),
                    AddedToken("    ", normalized=True), AddedToken("我喜欢")])
    tok.post_processor = processors.RobertaProcessing(
        ("</s>", 1), ("<s>", 0), trim_offsets=True, add_prefix_space=True)
    return tok


# A small character map: what SentencePiece replaces, in hexadecimal code points.
RULES = "".join("%s\t%s\n" % ("%X" % (0xFEE0 + c), "%X" % c) for c in range(0x41, 0x5B))
RULES += "FB01\t66 69\n9\t20\nA\t20\n3000\t20\n65 301\tE9\nAD\t\n200B\t20\n"


def train_spm(kind, size, specials, charsmap=True, **options):
    """The bytes of a model, and the message they hold."""
    out = io.BytesIO()
    if charsmap:
        with tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False) as f:
            f.write(RULES)
        options["normalization_rule_tsv"] = f.name
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines()), model_writer=out, model_type=kind,
        vocab_size=size, num_threads=1, minloglevel=2, hard_vocab_limit=False,
        **specials, **options)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(out.getvalue())
    proto.normalizer_spec.normalization_rule_tsv = ""   # names a temporary file
    return proto.SerializeToString(), proto


def metaspace(scheme="always", split=True):
    return pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme, split=split)


def add_controls(tok, proto):
    from tokenizers import AddedToken
    for p in proto.pieces:
        if p.type in (2, 3, 4):
            tok.add_tokens([AddedToken(p.piece, normalized=False, special=p.type != 4)])


def unigram_of(proto):
    return models.Unigram([(p.piece, p.score) for p in proto.pieces],
                          unk_id=proto.trainer_spec.unk_id)


def unigram():
    """ALBERT's way: many normalisers, words, then Metaspace."""
    _, proto = train_spm("unigram", 260, {
        "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1,
        "control_symbols": ["[CLS]", "[SEP]", "[MASK]"]})
    tok = Tokenizer(unigram_of(proto))
    tok.normalizer = normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(),
        normalizers.Lowercase(),
        normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap),
        normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip(right=False)])
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), metaspace()])
    tok.decoder = decoders.Metaspace()
    add_controls(tok, proto)
    ids = [(t, tok.token_to_id(t)) for t in ("[CLS]", "[SEP]")]
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids)
    return tok


def bytes_bpe(legacy):
    """Llama's way; also gives the model that it comes from."""
    data, proto = train_spm("bpe", 520, {"unk_id": 0, "bos_id": 1, "eos_id": 2},
                            charsmap=False, byte_fallback=True,
                            normalization_rule_name="identity",
                            remove_extra_whitespaces=False,
                            user_defined_symbols=["keep"])
    vocab = {p.piece: i for i, p in enumerate(proto.pieces)}
    merges = sorted((vocab[p], -i, p[:i], p[i:]) for p in vocab
                    for i in range(1, len(p)) if p[:i] in vocab and p[i:] in vocab
                    and proto.pieces[vocab[p]].type in (1, 4))
    tok = Tokenizer(models.BPE(vocab, [(a, b) for _, _, a, b in merges],
                               unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if legacy:
        tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"),
                                               normalizers.Replace(" ", "▁")])
    else:
        tok.pre_tokenizer = metaspace("first", False)
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "),
                                     decoders.ByteFallback(), decoders.Fuse()])
    add_controls(tok, proto)
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return tok, data


def t5():
    data, proto = train_spm("unigram", 240, {"pad_id": 0, "eos_id": 1, "unk_id": 2,
                                             "bos_id": -1})
    pieces = [(p.piece, p.score) for p in proto.pieces]
    pieces += [("<extra_id_%d>" % i, 0.0) for i in range(2, -1, -1)]
    tok = Tokenizer(models.Unigram(pieces, unk_id=2))
    tok.normalizer = normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap)
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), metaspace()])
    add_controls(tok, proto)
    tok.add_special_tokens(["<extra_id_%d>" % i for i in range(2, -1, -1)])
    tok.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    return tok, data


def spm_of(kind, charsmap, **options):
    """A folder's files with a SentencePiece model that transformers reads itself."""
    data, _ = train_spm(kind, 300, {"unk_id": 0, "bos_id": 1, "eos_id": 2},
                        charsmap=charsmap, **options)
    return {"spiece.model": data}


def only_model(name, file, data, config, tok):
    """A folder with a SentencePiece model alone; tok is what it stands for."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / file).write_bytes(data)
    (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
    write_cases(folder, tok)


def bare(name, cls, files, config):
    """A folder without tokenizer.json; transformers says what it stands for."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for file, content in files.items():
        (folder / file).write_bytes(content if isinstance(content, bytes)
                                    else content.encode())
    (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
    write_cases(folder, cls.from_pretrained(folder).backend_tokenizer)


def class_model(name, cls, file, specials, **config):
    """A folder with a SentencePiece model and a class; transformers says what they are."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / file).write_bytes(train_spm("unigram", 180, specials)[0])
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": cls.__name__, **config}) + "\n")
    write_cases(folder, cls.from_pretrained(folder).backend_tokenizer,
                ["a en_XX b", "ro_RO", "<s>NOTUSED x <unk>NOTUSED", "<unk_2> <mask_1> a"])


def m2m_model(name, **config):
    """Ids of vocab.json, languages behind them; the class is in Python and has no offsets."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    data, proto = train_spm("unigram", 180, {"unk_id": 0, "bos_id": 1, "eos_id": 2})
    (folder / "sentencepiece.bpe.model").write_bytes(data)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *sorted(p.piece for p in proto.pieces[3:])]
    (folder / "vocab.json").write_text(
        json.dumps({p: i for i, p in enumerate(pieces[:-5])}, ensure_ascii=False) + "\n",
        encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "M2M100Tokenizer", **config}) + "\n")
    tok = M2M100Tokenizer.from_pretrained(folder)
    with open(folder / "ids.jsonl", "w", encoding="utf-8") as f:
        for text in [t for t in TEXTS if "<" not in t] + ["a __de__ b", "__fr__"]:
            f.write(json.dumps({"text": text, "ids": tok(text).input_ids}, ensure_ascii=False)
                    + "\n")


def nllb():
    """Merges of words, languages behind them; the template has that of the text first."""
    _, proto = train_spm("bpe", 180, {"unk_id": 0, "bos_id": 1, "eos_id": 2})
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *(p.piece for p in proto.pieces[3:])]
    vocab = {p: i for i, p in enumerate(pieces)}
    merges = sorted((vocab[p], -i, p[:i], p[i:]) for p in pieces[4:] for i in range(1, len(p))
                    if p[:i] in vocab and p[i:] in vocab)
    return NllbTokenizer(
        vocab=vocab, merges=[(a, b) for _, _, a, b in merges], src_lang="fra_Latn",
        _spm_precompiled_charsmap=proto.normalizer_spec.precompiled_charsmap,
        extra_special_tokens=["eng_Latn", "fra_Latn", "zho_Hans"]).backend_tokenizer


def lines_by_id(tok):
    return "".join(t + "\n" for t, _ in
                   sorted(tok.get_vocab().items(), key=lambda x: x[1]))


def main():
    made = {f.__name__: f() for f in (wordpiece, gpt2, llama3, roberta)}
    for name, tok in made.items():
        save(name, tok)
    save("unigram", unigram())
    save("bytes_bpe", bytes_bpe(True)[0])
    tok, data = bytes_bpe(False)
    only_model("llama_model", "tokenizer.model", data,
               {"tokenizer_class": "LlamaTokenizer", "legacy": False}, tok)
    tok, data = t5()
    only_model("t5_model", "spiece.model", data,
               {"tokenizer_class": "T5Tokenizer", "extra_ids": 3}, tok)
    bare("reformer_model", ReformerTokenizer, spm_of("bpe", True),
         {"tokenizer_class": "ReformerTokenizer"})
    bare("reformer_plain", ReformerTokenizer,
         spm_of("bpe", False, normalization_rule_name="identity",
                remove_extra_whitespaces=False), {"tokenizer_class": "ReformerTokenizer"})
    model = json.loads(made["gpt2"].to_str())["model"]
    byte_files = {
        "vocab.json": json.dumps({**model["vocab"], "<|endoftext|>":
                                  len(model["vocab"])}, ensure_ascii=False,
                                 separators=(",", ":")) + "\n",
        "merges.txt": "#version: 0.2\n" + "".join(
            " ".join(m) + "\n" for m in model["merges"])}
    bare("bert_bare", BertTokenizerFast,
         {"vocab.txt": lines_by_id(made["wordpiece"])},
         {"tokenizer_class": "BertTokenizer", "do_lower_case": False})
    bare("gpt2_bare", GPT2TokenizerFast, byte_files,
         {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True})
    bare("clip_bare", CLIPTokenizer, clip_files(), {"tokenizer_class": "CLIPTokenizer"})
    save("clip", CLIPTokenizer.from_pretrained(HERE / "clip_bare").backend_tokenizer)
    vocab = json.loads(byte_files["vocab.json"])
    for t in ("<s>", "</s>", "<unk>", "<pad>", "<mask>"):
        vocab[t] = len(vocab)
    bare("roberta_bare", RobertaTokenizerFast,
         {**byte_files, "vocab.json": json.dumps(vocab, ensure_ascii=False) + "\n"},
         {"tokenizer_class": "RobertaTokenizer"})
    fairseq = {"unk_id": 0, "bos_id": 1, "eos_id": 2}
    class_model("mbart_model", MBartTokenizer, "sentencepiece.bpe.model", fairseq,
                src_lang="en_XX", tgt_lang="ro_RO")
    class_model("mbart50_model", MBart50Tokenizer, "sentencepiece.bpe.model", fairseq,
                src_lang="fr_XX", tgt_lang="uk_UA")
    save("nllb", nllb())
    m2m_model("m2m100_model", src_lang="fr", tgt_lang="uk")
    class_model("camembert_model", CamembertTokenizer, "sentencepiece.bpe.model", fairseq)
    class_model("pegasus_model", PegasusTokenizer, "spiece.model",
                {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1})


if __name__ == "__main__":
    main()
