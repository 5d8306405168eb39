/* SPDX-License-Identifier: MIT
 *
 * Attention computed elsewhere -> a model that has its rows in place of weights, or reads its
 * queries, keys and values in place of a residual stream.
 *
 *     .npz    attn.L [H,T,S] per layer (or arr_L, or [1,H,T,S]); dec.L and cross.L for a
 *             decoder; eff.L next to attn.L if keys count several times in the softmax;
 *             sink.L [H,T] next to it: weight of the model's attention sink
 *     .npy    [L,H,T,S], or [H,T,S] for one layer
 *
 * Floats of any type.  An attn.L whose numbers of queries and keys differ is cross-attention. */
#ifndef MODEL_PRECOMPUTED_H
#define MODEL_PRECOMPUTED_H

#include "model/model.h"

/*
 * Layers keep the numbers that their names have; some may be missing, the same in each
 * stack as far as it goes.  A square layer is causal where all weights above its diagonal
 * are exactly 0, in all heads.  The arrays stay mapped; their rows are looked at only when
 * they are read.
 *
 * Errors (ERR_INPUT, naming file and array): those of npz_open; no such array; another
 * rank or type, no element; numbers of heads or lengths that differ between layers, or do
 * not fit between stacks; dec.L or eff.L that is not square; a layer that only one stack
 * lacks, or that has nothing but sink.L.
 */
struct model *model_open_precomputed(struct arena *a, const char *path, struct err *e);

/* The same for open arrays; the model closes weights, even on an error. */
struct model *model_of_precomputed(struct arena *a, struct weights *weights, const char *path,
                             struct err *e);

/* Widths of queries, keys and values, and whether keys belong to another text. */
struct qkv_shape {
    int H, G, d, d_v;
    bool cross;
};

/*
 * A model of one attention without projections, FRONT_QKV; weights: the file of its queries, which
 * the model closes.  scale: factor of q.k; NaN: 1 / sqrt(d).
 */
struct model *model_of_qkv(struct arena *a, struct weights *weights, const char *name,
                           const struct qkv_shape *shape, double scale, struct err *e);

#endif
