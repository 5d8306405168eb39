/* SPDX-License-Identifier: MIT
 *
 * --attention and --qkv: attention that something else has computed, or all that it is
 * computed of, in place of a model and a text. */
#ifndef SESSION_PRECOMPUTED_H
#define SESSION_PRECOMPUTED_H

#include "session/layer.h"

/*
 * The model that --attention or --qkv makes; *path: the file that it is named after.
 * Errors: those of model_open_precomputed and qkv; ERR_USAGE beside a model or options of one.
 */
struct model *precomputed_open(const struct asked *asked, const struct env *env,
                         const char **path, struct err *e);

/*
 * The one text of --attention: names by --tokens and --key-tokens, or labels, else by the file's
 * arrays of strings tokens and decoder_tokens, else by its lists tokens.json and
 * decoder_tokens.json, else numbers.  As our own export has them, tokens is of the keys of
 * cross-attention where there is decoder_tokens, else of the queries.
 *
 * Errors: a number of names that is not that of the rows; a list that is not one of names.
 */
int precomputed_item(const struct session *s, struct arena *a, struct item *out, struct err *e);

/* ERR_USAGE: the model is one of --attention, with a mask or a precision. */
int precomputed_options(const struct session *s, struct err *e);

/* ---- queries, keys and values ---- */

/*
 * Q.npy,K.npy,V.npy: [rows, width], [heads, rows, width] or [texts, heads, rows, width]
 * each; heads of keys and values divide those of queries.  Keys are of another text where
 * they are not as many as queries, or have names of their own.
 *
 * Errors: ERR_USAGE for no list of three; ERR_INPUT, naming the file: values_read's, and
 * shapes that do not fit together.
 */
struct model *qkv_open(const struct asked *asked, struct arena *a, struct err *e);

/* The same as rows of a layer. */
int qkv_input(struct layer_input *in, struct session *s, struct err *e);

#endif
