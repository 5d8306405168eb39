/* SPDX-License-Identifier: MIT
 *
 * What the files that part a layer's tensors share: the parts on their way, and the cuts.
 *
 *     cut.c     a tensor -> a part of it
 *     fused.c   projections in one tensor, or in one per head -> one tensor each
 *     part.c    all tensors of attentions, mlps and norms */
#ifndef MODEL_LAYER_CUT_H
#define MODEL_LAYER_CUT_H

#include "model/layer/layer_priv.h"

struct parter {
    struct look *k;
    struct weights *w;
    struct arena *a;
    bool *gone;                 /* [weights_count] what others take the place of */
    struct tensor *part;        /* [n_parts] those others */
    int n_parts;
    struct err *e;
};

/*
 * A matrix [n_blocks rows, columns] within a tensor: where its first element lies, and how
 * many elements it is from block to block, row to row, column to column.
 */
struct cut {
    int64_t first, n_blocks, block, n_rows, row, n_columns, column;
};

/* Another takes the place of t, a tensor of p->w. */
void layer_cut_take(struct parter *p, const struct tensor *t);
/* Keeps *t as one that takes a place. */
void layer_cut_add(struct parter *p, const struct tensor *t);

/* Errors: not floats that can be cut; not least to most dimensions, or some of them 0. */
int layer_cut_check(struct parter *p, const struct tensor *t, int least, int most);

/* Elements per row of a vector [n], 1, or a matrix [n, columns]. */
int64_t layer_cut_width(const struct tensor *t);

/* A weight in this form lies [in, out]: by --matrix-order, else by the form and k->in_out. */
bool layer_cut_in_out(const struct parter *p, enum form form);

/*
 * The matrix c of t as a tensor of this name: t's own bytes where they lie so, else a copy
 * in a.  vector: [rows], where c has one column; else [rows, columns].
 */
struct tensor layer_cut_out(struct arena *a, const struct tensor *t, const struct cut *c,
                            bool vector, const char *name);

/* PROJ_HEADS: joins a matrix per head into one for each of q, k and v; sets k->n_heads.
 * Errors: a head is missing, or unlike the others. */
int layer_fused_heads(struct parter *p, const struct naming *n, const char *scope);

/* PROJ_TORCH: the rows of in_proj ENDING [3 D, ..], a third each, as q_proj ENDING and so on;
 * nothing where it is missing.  Errors: not three times as many rows as columns. */
int layer_fused_in_proj(struct parter *p, const struct naming *n, const char *scope,
                        const char *ending, int n_dims);

/* PROJ_FUSED, PROJ_FUSED_HEADS: one tensor of q, k and v, cut in three.
 * Errors: those of layer_fused_cut; the number of heads is unknown. */
int layer_fused_qkv(struct parter *p, const struct naming *n, const char *scope);

/* Cuts NAME, parts first .. PART_V as blocks of rows, or of the rows of each of n_heads, into
 * NAME.q, .k and .v; names them in k->part.  Errors: it is missing; its rows do not divide. */
int layer_fused_cut(struct parter *p, const char *scope, const char *name, int first,
                    int n_heads);

#endif
