/* SPDX-License-Identifier: MIT
 *
 * One row of one head, taken apart: the query, the key of each token, what of their product
 * each dimension is, and what the softmax reads.
 *
 *     dot    = sum over c of q_c k_c
 *     scaled = scale dot, or cap tanh(scale dot / cap) where the model caps its scores
 *     score  = scaled + the parts that the model, or a mask, adds
 *     weight = softmax of the scores of the keys that the row sees, and of the model's sink */
#ifndef RUN_NEURON_H
#define RUN_NEURON_H

#include "run/run.h"

/* What scores get besides products. */
enum neuron_part {
    NEURON_POSITION,            /* by the distance alone: ALiBi, buckets */
    NEURON_QUERY_POSITION,      /* the query meets the row of the distance */
    NEURON_KEY_POSITION,        /* the key does */
    NEURON_SEGMENT,             /* the query meets the row of the segments */
    NEURON_COPIES,              /* of a key that is counted several times, or last */
    NEURON_MASK,                /* the user's */
    N_NEURON_PART
};

extern const char *const neuron_part_names[N_NEURON_PART];

struct neuron {
    const struct model *m;      /* whose heads */
    enum stack_id stack;
    int layer, head, row;
    int S, d;                   /* keys, and the width of one */
    float scale, cap;           /* cap 0: none */
    float *q, *k;               /* [d], [S, d] as they meet: normed, rotated */
    double *dot;                /* [S] */
    float *scaled, *part[N_NEURON_PART], *score;    /* [S] each */
    float *weight;              /* [S] */
    bool *hidden;               /* [S] the row does not see the key */
    float sink, sink_weight;    /* of what is no key; NaN: the model has none */
};

/* Which parts the scores of a layer can have in this stack; masked: the user's mask adds. */
void neuron_parts(bool has[N_NEURON_PART], const struct model *m, int layer,
                  enum stack_id stack, bool masked);

/* For a pass over one text, of which the layer and the head are wanted; memory is of a, which
 * may be the pass's. */
struct neuron *neuron_new(struct arena *a, const struct model *m, enum stack_id stack, int layer,
                          int head, int row, int n_keys);
struct tap neuron_tap(struct neuron *n);

/* What the tap takes of a view beside q, k and dot: scale, cap, scaled, parts and score of
 * n's row, and which keys it does not see. */
void neuron_scores(struct neuron *n, const struct qkv_view *view);
struct sink neuron_sink(struct neuron *n);

/* What of the dot product dimension c is. */
float neuron_product(const struct neuron *n, int key, int c);

#endif
