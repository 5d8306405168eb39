/* SPDX-License-Identifier: MIT
 *
 * The tokeniser in a GGUF file -> the tokenizer.json that it was converted from, as far as
 * the file has its data.
 *
 *     tokenizer.ggml.model        "gpt2": byte-level BPE; "bert": WordPiece; those of
 *                                 SentencePiece: "llama": BPE, "t5": Unigram
 *     tokenizer.ggml.pre          name of the pre-tokeniser ("gpt2")
 *     tokenizer.ggml.tokens       pieces by id; WordPiece: "▁" in front of those that
 *                                 begin a word instead of "##" in front of the others
 *     tokenizer.ggml.token_type   1 normal, 2 unknown, 3 control, 4 user defined,
 *                                 5 unused, 6 byte
 *     tokenizer.ggml.merges       "left right" by rank
 *     tokenizer.ggml.scores       by id; SentencePiece
 *     tokenizer.ggml.precompiled_charsmap     bytes; "t5"
 *     tokenizer.ggml.NAME_token_id, add_bos_token, add_eos_token, add_space_prefix,
 *     remove_extra_whitespaces */
#ifndef TEXT_GGUF_TOK_H
#define TEXT_GGUF_TOK_H

#include "text/tok_priv.h"
#include "weights/gguf.h"

/*
 * The tokenizer.json; NULL on errors (ERR_INPUT): no tokeniser, a model or a `pre` that is
 * not supported (named), a piece that is not UTF-8, ids outside the vocabulary, lists of the
 * wrong type or length, a byte that is not "<0x00>" to "<0xFF>", a score that is not finite.
 * If pieces have scores, these, the vocabulary and the character map are put into tok, and the
 * JSON has true in their place.
 */
json_t *gguf_tok_read(struct tok *tok, const struct gguf *gguf, struct err *e);

/* In hf.c: the same as a tokeniser; messages begin with the name. */
struct tok *gguf_tok_open(struct arena *a, const struct gguf *gguf, const char *name,
                          struct err *e);

/* ---- gguf_pre.c ---- */

/* Sets pre_tokenizer and normalizer of root; false: the name is unknown. */
bool gguf_pre(struct arena *a, json_t *root, const char *name, bool *ignore_merges);

/* Number i of the known names; NULL after the last. */
const char *gguf_pre_name(int i);

#endif
