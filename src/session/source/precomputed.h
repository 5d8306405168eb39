/* SPDX-License-Identifier: MIT
 *
 * --attention and --qkv: attention weights computed elsewhere, or queries, keys and values, in
 * place of a model and a text. */
#ifndef SESSION_PRECOMPUTED_H
#define SESSION_PRECOMPUTED_H

#include "session/source/layer.h"

/*
 * A model without weights that stands for the arrays of --attention or --qkv; *path: the file it is
 * named after.
 * Errors: those of model_open_precomputed and qkv; ERR_USAGE beside a model or options of one.
 */
struct model *precomputed_open(const struct asked *asked, const struct env *env,
                         const char **path, struct err *e);

/*
 * The single text of --attention.  Its tokens are named by --tokens and --key-tokens, or labels;
 * else by the file's arrays of strings tokens and decoder_tokens; else by its lists tokens.json
 * and decoder_tokens.json; else numbered.  As in `export`, tokens names the keys of
 * cross-attention if there is decoder_tokens, else the queries.
 *
 * Errors: the number of names is not that of the rows; a list of something other than names.
 */
int precomputed_item(const struct session *session, struct arena *a, struct item *out,
                     struct err *e);

/* ERR_USAGE if the model is one of --attention, and a mask or a precision is given. */
int precomputed_options(const struct session *session, struct err *e);

/* ---- queries, keys and values ---- */

/*
 * Q.npy,K.npy,V.npy: [rows, width], [heads, rows, width] or [texts, heads, rows, width]
 * each; the number of key and value heads divides that of query heads.  Keys are another text's
 * if their number is not that of the queries, or they have names of their own.
 *
 * Errors: ERR_USAGE if it is not a list of three; ERR_INPUT, naming the file: values_read's, and
 * shapes that do not fit together.
 */
struct model *qkv_open(const struct asked *asked, struct arena *a, struct err *e);

/* The same arrays as input rows of a bare layer. */
int qkv_input(struct layer_input *input, struct session *session, struct err *e);

#endif
