/* SPDX-License-Identifier: MIT
 *
 * The scores of one row of one head in detail: the query, all keys, the product of each dimension,
 * and all terms that enter the softmax.
 *
 *     dot    = sum over c of q_c k_c
 *     scaled = scale dot, or cap tanh(scale dot / cap) where the model caps its scores
 *     score  = scaled + the terms that the model, or a mask, adds
 *     weight = softmax of the scores of the visible keys, and of the model's attention sink */
#ifndef RUN_NEURON_H
#define RUN_NEURON_H

#include "run/run.h"

/* Terms of a score besides q.k. */
enum neuron_part {
    NEURON_POSITION,            /* bias by distance alone: ALiBi, buckets */
    NEURON_QUERY_POSITION,      /* product of the query and the distance's embedding */
    NEURON_KEY_POSITION,        /* product of the key and the distance's embedding */
    NEURON_SEGMENT,             /* product of the query and the segment embedding (XLNet) */
    NEURON_COPIES,              /* weighting of keys that count several times (BigBird), or last
                                   (Reformer: a query's own key) */
    NEURON_MASK,                /* the user's mask */
    N_NEURON_PART
};

extern const char *const neuron_part_names[N_NEURON_PART];

struct neuron {
    const struct model *m;      /* the model of the heads */
    enum stack_id stack;
    int layer, head, row;
    int S, d;                   /* keys, and the width of one */
    float scale, cap;           /* cap 0: none */
    float *q, *k;               /* [d], [S, d] as multiplied: normed, rotated */
    double *dot;                /* [S] */
    float *scaled, *part[N_NEURON_PART], *score;    /* [S] each */
    float *weight;              /* [S] */
    bool *hidden;               /* [S] the row does not see the key */
    float sink, sink_weight;    /* score and weight of the attention sink; NaN if there is none */
};

/* Which terms the scores of a layer can have in this stack; masked: the user's mask adds numbers.
 * */
void neuron_parts(bool has[N_NEURON_PART], const struct model *model, int layer,
                  enum stack_id stack, bool masked);

/* Allocates it, in arena a (which may be the pass's), for a pass over one text in which the layer
 * and the head are wanted. */
struct neuron *neuron_new(struct arena *a, const struct model *model, enum stack_id stack,
                          int layer, int head, int row, int n_keys);
struct tap neuron_tap(struct neuron *neuron);

/* The part of the tap after q, k and dot: sets scale, cap, scaled, part, score and hidden. */
void neuron_scores(struct neuron *neuron, const struct qkv_view *view);
struct sink neuron_sink(struct neuron *neuron);

/* The contribution q_c k_c of dimension c to the dot product. */
float neuron_product(const struct neuron *neuron, int key, int c);

#endif
