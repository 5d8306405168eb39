/* SPDX-License-Identifier: MIT
 *
 * What the builders of gguf_tok.c and gguf_spm.c share: the keys of a GGUF's tokeniser, on
 * their way into a tokenizer.json.  Errors are ERR_INPUT and name the key. */
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
    const char **piece;         /* [n] by id, as tokenizer.json has them */
    int n;
};

/* That of tokenizer.ggml.KEY, or NULL. */
const struct gguf_value *gguf_source_value(const struct gguf_source *s, const char *key);
/* Sets the error that v is something else; -1. */
int gguf_source_wrong(const struct gguf_source *s, const struct gguf_value *v,
                      const char *want);
/* *out stays where the key is not there; so it does for the next. */
int gguf_source_flag(const struct gguf_source *s, const char *key, bool *out);
/* The piece that a key gives the id of. */
int gguf_source_special(const struct gguf_source *s, const char *key, const char **out);

/* An array of strings; NULL: the key is not there, or holds something else (an error). */
const struct gguf_value *gguf_source_strings(const struct gguf_source *s, const char *key);

/* Fills piece and n; marked: as WordPiece has them in tokenizer.json. */
int gguf_source_pieces(struct gguf_source *s, bool marked);
/*
 * Checks token_type and sets added_tokens: control tokens, and those that a user
 * defined, are found in the text itself.
 */
int gguf_source_added(const struct gguf_source *s);
void gguf_source_add(const struct gguf_source *s, int id, const char *piece,
                     bool special);

/* ---- gguf_spm.c ---- */

/* Scores say which two pieces are joined first. */
int gguf_spm_bpe(struct gguf_source *s);
/* Scores are log probabilities of pieces. */
int gguf_spm_unigram(struct gguf_source *s);

#endif
