/* SPDX-License-Identifier: MIT
 *
 * One row of a text on its way through a pass: its residual stream after each step, and what
 * each head made of which keys.  What the row's logits are made of can be told from it. */
#ifndef RUN_TRAIL_H
#define RUN_TRAIL_H

#include "run/run.h"

struct trail_step {
    enum stream_step_kind kind;
    int layer, second;          /* as in struct stream_step */
    enum stack_id stack;
    const struct param *norm;
    float *x;                   /* [D] */
};

/* One attention of the row, to its own text or to another. */
struct trail_attention {
    float *z;                   /* [H d_v] the heads' outputs side by side */
    int S;                      /* keys */
    float *v;                   /* [S, G d_v] values; NULL: not asked for, as the next two */
    float *a;                   /* [H, S] weights */
    unsigned char *hidden;      /* [H, S] 1: the row does not see the key */
    float *gate;                /* [H d_v] what z was multiplied by; NULL: by nothing, or keys are
                                   not asked for */
};

struct trail {
    const struct model *m;      /* whose stacks: the model that ends in logits */
    int row;
    struct trail_step *step;    /* [n_steps] */
    int n_steps;
    struct trail_attention *own, *cross;    /* [L] */
};

/*
 * For row `row` of a text of T tokens and, for cross-attention, S of another (0: none); keys:
 * values and weights too.  All memory is of a, which may be the pass's.
 */
struct trail *trail_new(struct arena *a, const struct model *m, int row, int T, int S,
                        bool keys);

/* For a pass of one text with all layers, heads and stacks; the sink only where keys are asked
 * for. */
struct tap trail_tap(struct trail *t);
struct sink trail_sink(struct trail *t);

#endif
