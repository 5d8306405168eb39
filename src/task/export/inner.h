/* SPDX-License-Identifier: MIT
 *
 * export --all: the inputs and outputs of each attention, besides its weights.
 *
 *     q.L        [heads, queries, d]         normed and rotated
 *     k.L, v.L   [key heads, keys, d]        keys, normed and rotated; values
 *     scores.L   [heads, queries, keys]      before the softmax: scaled, with position and mask
 *                                            terms; -inf: hidden
 *     out.L      [queries, D]                after the output projection
 *
 * These names are for the stack encoder and for decoder-only models; else dec.q.L, cross.q.L, ...
 * */
#ifndef TASK_EXPORT_INNER_H
#define TASK_EXPORT_INNER_H

#include "run/run.h"
#include "weights/npz.h"

struct inner {
    struct arena *a;
    struct npz *z;
    const int *head_place;      /* [L, n_heads] index among the layer's wanted heads; -1: not
                                   wanted */
    int n_heads;
    int *first[N_STACK];        /* [L] index of the array q.L; k, v, scores, out follow it */
};

struct inner_shape {
    int n_heads;                /* wanted heads of the layer */
    int n_queries, n_keys;
};

/* Adds the arrays of layer l; prefix is "attn", "dec" or "cross". */
void export_inner_add(struct inner *in, const struct model *model, enum stack_id stack,
                      const char *prefix, int l, struct inner_shape size);

/* A tap that fills the arrays in a pass over one text. */
struct tap export_inner_tap(struct inner *in);

#endif
