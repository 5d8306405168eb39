/* SPDX-License-Identifier: MIT
 * Mechanisms that score every pair of a query and a key: the steps of attention_block, some of
 * which they change; and the plain formula over every pair. */
#ifndef NN_MECHANISM_PAIRS_H
#define NN_MECHANISM_PAIRS_H

#include "nn/mechanism.h"

/* The steps of softmax(scale q.k + terms) that a mechanism changes.  NULL: unchanged. */
struct pair_steps {
    /* Converts a row of q or k, [d], for the product; returns the factor of the product. */
    float (*round)(float *row, const float *x, int d);
    /* Scores of a row and n keys from j0, in place of the product; shared: what
       prepare made. */
    void (*score)(float *score, const struct attention *a, const void *shared, int i,
                  int j0, int n);
    uint64_t (*shared)(const struct attention *a);        /* bytes */
    void (*prepare)(void *shared, const struct attention *a);
    /* Scores [first, end) of a row become weights, those outside become 0; the scores of
       hidden keys are below SCORE_HIDDEN (score.h); spare [2 n] floats. */
    void (*weigh)(float *row, int n, int first, int end, const struct attention *a,
                  float *spare);
    bool hold;                  /* all scores are computed before weights of any row */
};

/* The formula of the reference implementation. */
struct pair_formula {
    /* Before cap and terms; room: the reference's.  NULL: scale q.k */
    double (*score)(const struct attention *a, const void *room, int i, int j);
    bool (*sees)(const struct attention *a, int i, int j);      /* NULL: all */
    /* Scores become weights; -INFINITY is hidden, at least one is not; NULL: softmax */
    void (*weigh)(double *w, int n, const struct attention *a);
};

/* `room` and `run` of struct mechanism, for mechanisms with `steps`. */
uint64_t pairs_room(const struct attention *a);
int64_t pairs_run(float *out, int64_t out_stride, const struct attention *a, void *room);

/* A copy of an attention with other keys and values, for mechanisms that change only these. */
struct pairs_copy {
    struct attention own;       /* reads k and v */
    float *k, *v;               /* [n_keys, d], [n_keys, d_v] to be filled */
    void *rest;                 /* scratch memory of pairs_run for own */
};

/* Divides the memory at base, aligned to 64; base NULL: only counts.  Returns the bytes. */
uint64_t pairs_copy(struct pairs_copy *copy, const struct attention *a, int n_keys, void *base);

/* `reference` of struct mechanism, with its `pairs`, which may use room. */
void pairs_reference(double *w, double *out, const struct attention *a, void *room);

/* Number of visible pairs: T S minus those the model hides. */
int64_t pairs_seen(const struct attention *a);

/* q_i.k_j */
double pairs_dot(const struct attention *a, int i, int j);

/* The final score of a pair from the scaled one: capped, with the model's terms. */
double pairs_with_terms(const struct attention *a, int i, int j, double score);

/* out[T, d_v] = w[T, S] v */
void pairs_values(double *out, const double *w, const struct attention *a);

#endif
