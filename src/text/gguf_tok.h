/* SPDX-License-Identifier: MIT
 *
 * The tokeniser inside a GGUF -> the tokenizer.json that it was converted from, as
 * far as the file still knows it.
 *
 *     tokenizer.ggml.model        "gpt2": byte-level BPE; "bert": WordPiece
 *     tokenizer.ggml.pre          how words are cut ("gpt2")
 *     tokenizer.ggml.tokens       pieces by id; WordPiece: "▁" in front of those that
 *                                 begin a word instead of "##" in front of the others
 *     tokenizer.ggml.token_type   1 normal, 2 unknown, 3 control, 4 user defined,
 *                                 5 unused, 6 byte
 *     tokenizer.ggml.merges       "left right" by rank
 *     tokenizer.ggml.NAME_token_id, add_bos_token, add_eos_token */
#ifndef TEXT_GGUF_TOK_H
#define TEXT_GGUF_TOK_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "weights/gguf.h"

/*
 * The tokenizer.json that the keys stand for; NULL on errors (ERR_INPUT): no
 * tokeniser, a model or a `pre` that is not supported (named), a piece that is not
 * UTF-8, ids outside the vocabulary, lists of the wrong type or length.
 */
json_t *gguf_tok_read(struct arena *a, const struct gguf *g, struct err *e);

/* ---- gguf_pre.c ---- */

/* Sets pre_tokenizer and normalizer of root; false: the name is not known. */
bool gguf_pre(json_t *root, const char *name, bool *ignore_merges);

/* The names that are known; NULL: no more. */
const char *gguf_pre_name(int i);

#endif
