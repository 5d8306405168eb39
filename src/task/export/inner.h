/* SPDX-License-Identifier: MIT
 *
 * export --all: what each attention reads and gives, besides its weights.
 *
 *     q.L        [heads, queries, d]         normed and rotated
 *     k.L, v.L   [key heads, keys, d]        the same of keys; values
 *     scores.L   [heads, queries, keys]      before the softmax: scaled, with what is
 *                                            added by position and mask; -inf: hidden
 *     out.L      [queries, D]                after the output projection
 *
 * of stack encoder, or of a decoder that stands alone; else dec.q.L, cross.q.L and so on. */
#ifndef TASK_EXPORT_INNER_H
#define TASK_EXPORT_INNER_H

#include "run/run.h"
#include "weights/npz.h"

struct inner {
    struct arena *a;
    struct npz *z;
    const int *head_place;      /* [L, n_heads] among those wanted of a layer; -1: not */
    int n_heads;
    int *first[N_STACK];        /* [L] number of q.L; k, v, scores and out are the next */
};

struct inner_shape {
    int n_heads;                /* those wanted of the layer */
    int n_queries, n_keys;
};

/* Adds the arrays of layer l; prefix is "attn", "dec" or "cross". */
void export_inner_add(struct inner *in, const struct model *m, enum stack_id stack,
                      const char *prefix, int l, struct inner_shape size);

/* Fills them in a pass over one text. */
struct tap export_inner_tap(struct inner *in);

#endif
