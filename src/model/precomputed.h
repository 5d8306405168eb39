/* SPDX-License-Identifier: MIT
 *
 * Attention that something else has computed -> a model that has its rows in place of
 * weights, or reads its queries, keys and values in place of a residual stream.
 *
 *     .npz    attn.L [H,T,S] per layer (or arr_L, or [1,H,T,S]); dec.L and cross.L of a
 *             decoder; eff.L beside attn.L where keys count several times in the softmax;
 *             sink.L [H,T] beside it of what a sink takes that is not a key
 *     .npy    [L,H,T,S], or [H,T,S] of one layer
 *
 * Floats of any type.  attn of T queries and other keys is cross-attention. */
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
 * rank or type, no element; heads or lengths that differ between layers, or between the
 * stacks where they meet; dec.L or eff.L that is not square; a layer that only one stack
 * lacks, or of which there is nothing but sink.L.
 */
struct model *model_open_precomputed(struct arena *a, const char *path, struct err *e);

/* The same of arrays that are open; the model closes w, also where there is none. */
struct model *model_of_precomputed(struct arena *a, struct weights *w, const char *path,
                             struct err *e);

/* Widths of queries, keys and values, and whether keys are of another text. */
struct qkv_shape {
    int H, G, d, d_v;
    bool cross;
};

/*
 * One attention without projections, FRONT_QKV; w: the file of its queries, which the
 * model closes.  scale: of the scores; NaN: 1 / sqrt(d).
 */
struct model *model_of_qkv(struct arena *a, struct weights *w, const char *name,
                           const struct qkv_shape *shape, double scale, struct err *e);

#endif
