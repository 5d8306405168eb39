/* SPDX-License-Identifier: MIT
 *
 * The trail of one row through a pass: its residual stream after each step, and for each head the
 * output, weights and values.  Logits can be attributed to heads and tokens with it. */
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

/* One attention of the row: self-attention or cross-attention. */
struct trail_attention {
    float *z;                   /* [H d_v] the heads' outputs side by side */
    int S;                      /* keys */
    float *v;                   /* [S, G d_v] values; NULL, like the next two, unless keys are
                                   wanted */
    float *a;                   /* [H, S] weights */
    unsigned char *hidden;      /* [H, S] 1: the row does not see the key */
    float *gate;                /* [H d_v] factor that z was multiplied by; NULL if the model has no
                                   gates, or keys are not wanted */
};

struct trail {
    const struct model *m;      /* the model that ends in logits: of a pair, the decoder */
    int row;
    struct trail_step *step;    /* [n_steps] */
    int n_steps;
    struct trail_attention *own, *cross;    /* [L] */
};

/*
 * Allocates the trail of row `row` of a text of T tokens and, for cross-attention, S tokens of
 * another (0: none), in arena a, which may be the pass's; keys: values and weights are wanted.
 */
struct trail *trail_new(struct arena *a, const struct model *model, int row, int T, int S,
                        bool keys);

/* The tap and sink that fill it in a pass of one text with all layers, heads and stacks; the sink
 * is required only if keys are wanted. */
struct tap trail_tap(struct trail *trail);
struct sink trail_sink(struct trail *trail);

#endif
