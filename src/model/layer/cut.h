/* SPDX-License-Identifier: MIT
 *
 * Private interface of the conversion of a bare layer's tensors into one linear per projection: its
 * state, and cuts, matrices within tensors.
 *
 *     cut.c     a tensor -> a matrix cut out of it
 *     fused.c   projections in one tensor, or in one per head -> one tensor each
 *     part.c    all tensors of attentions, mlps and norms */
#ifndef MODEL_LAYER_CUT_H
#define MODEL_LAYER_CUT_H

#include "model/layer/layer_priv.h"

struct parter {
    struct look *k;
    struct weights *w;
    struct arena *a;
    bool *gone;                 /* [weights_count] tensors that are replaced */
    struct tensor *part;        /* [n_parts] their replacements */
    int n_parts;
    struct err *e;
};

/*
 * A matrix [n_blocks rows, columns] within a tensor: index of its first element, and strides, in
 * elements, between blocks, rows and columns.
 */
struct cut {
    int64_t first, n_blocks, block, n_rows, row, n_columns, column;
};

/* Marks tensor, a tensor of parter->w, as replaced. */
void layer_cut_take(struct parter *parter, const struct tensor *tensor);
/* Adds *tensor to the replacements. */
void layer_cut_add(struct parter *parter, const struct tensor *tensor);

/* Errors: not floats that can be cut; not `least` to `most` dimensions, or one of size 0. */
int layer_cut_check(struct parter *parter, const struct tensor *tensor, int least, int most);

/* Elements per row of a vector [n], 1, or a matrix [n, columns]. */
int64_t layer_cut_width(const struct tensor *tensor);

/* Whether a weight in this form is [in, out]: by --matrix-order, else by the form and k->in_out. */
bool layer_cut_in_out(const struct parter *parter, enum form form);

/*
 * The matrix cut of tensor as a tensor of this name: tensor's own bytes if they are in this order,
 * else a copy in a.  vector: shape [rows], cut has one column; else [rows, columns].
 */
struct tensor layer_cut_out(struct arena *a, const struct tensor *tensor, const struct cut *cut,
                            bool vector, const char *name);

/* PROJ_HEADS: joins a matrix per head into one for each of q, k and v; sets k->n_heads.
 * Errors: a head is missing, or unlike the others. */
int layer_fused_heads(struct parter *parter, const struct naming *naming, const char *scope);

/* PROJ_TORCH: cuts the rows of in_proj ENDING [3 D, ..] into three, as q_proj ENDING and so on;
 * nothing if it is missing.  Errors: not three times as many rows as columns. */
int layer_fused_in_proj(struct parter *parter, const struct naming *naming, const char *scope,
                        const char *ending, int n_dims);

/* PROJ_FUSED, PROJ_FUSED_HEADS: one tensor of q, k and v, cut in three.
 * Errors: those of layer_fused_cut; the number of heads is unknown. */
int layer_fused_qkv(struct parter *parter, const struct naming *naming, const char *scope);

/* Cuts NAME, parts first .. PART_V as blocks of rows, or of the rows of each of n_heads, into
 * NAME.q, .k and .v; names them in k->part.  Errors: it is missing; its rows do not divide. */
int layer_fused_cut(struct parter *parter, const char *scope, const char *name, int first,
                    int n_heads);

#endif
