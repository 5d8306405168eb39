/* SPDX-License-Identifier: MIT
 *
 * Private interface of gguf_tok.c and gguf_spm.c: state of converting the keys of a GGUF's
 * tokeniser into a tokenizer.json.  Errors are ERR_INPUT and name the key. */
#ifndef TEXT_GGUF_SOURCE_H
#define TEXT_GGUF_SOURCE_H

#include "text/gguf_tok.h"

#define GGUF_MARK "\xe2\x96\x81"       /* ▁ */

enum gguf_token_type { UNDEFINED, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

struct gguf_source {
    struct tok *t;
    struct arena *a;
    const struct gguf *g;
    struct err *e;
    json_t *root;
    const char **piece;         /* [n] by id, in the form of tokenizer.json */
    int n;
};

/* The value of tokenizer.ggml.KEY; NULL if absent. */
const struct gguf_value *gguf_source_value(const struct gguf_source *source, const char *key);
/* Sets the error that value is not `want`; returns -1. */
int gguf_source_wrong(const struct gguf_source *source, const struct gguf_value *value,
                      const char *want);
/* Reads a flag; *out is unchanged if the key is absent, here and in the next function. */
int gguf_source_flag(const struct gguf_source *source, const char *key, bool *out);
/* The piece whose id is the value of a key. */
int gguf_source_special(const struct gguf_source *source, const char *key, const char **out);

/* An array of strings; NULL if the key is absent, or is something else (an error). */
const struct gguf_value *gguf_source_strings(const struct gguf_source *source, const char *key);

/* Fills piece and n; marked: WordPiece, with "##" as in tokenizer.json. */
int gguf_source_pieces(struct gguf_source *source, bool marked);
/*
 * Checks token_type and sets added_tokens, which are found in the text itself: control and
 * user-defined tokens.
 */
int gguf_source_added(const struct gguf_source *source);
void gguf_source_add(const struct gguf_source *source, int id, const char *piece,
                     bool special);

/* ---- gguf_spm.c ---- */

/* BPE whose scores rank the merges. */
int gguf_spm_bpe(struct gguf_source *source);
/* Unigram, whose scores are log probabilities of pieces. */
int gguf_spm_unigram(struct gguf_source *source);

#endif
