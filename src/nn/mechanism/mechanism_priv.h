/* SPDX-License-Identifier: MIT
 * What mechanisms share: one way to score every pair, one for chosen keys, one for
 * feature maps; and the references of each. */
#ifndef NN_MECHANISM_PRIV_H
#define NN_MECHANISM_PRIV_H

#include "nn/mechanism.h"
#include "nn/nn_priv.h"

#define MECHANISM(id, name) extern const struct mechanism mechanism_##id;
#include "nn/mechanisms.def"
#undef MECHANISM

/* ---- room: the same code counts it and shares it out ---- */

struct carve {
    unsigned char *base;        /* NULL: only count */
    size_t used;
};
void *carve_take(struct carve *c, size_t n, size_t size);

/* ---- what the model adds ---- */

/* Caps the scores of row i, keys j0 .. j0 + n - 1, and adds the model's terms. */
void attention_terms(const struct attention *a, float *score, int i, int j0, int n);

/* Something is added to scores: by position, or by a mask. */
bool attention_has_terms(const struct attention *a);

/* ---- every pair is scored ---- */

/* What a mechanism changes of softmax(scale q.k + terms).  NULL: nothing. */
struct pair_steps {
    /* A row of q or k as the product reads it, [d]; returns what the product is to be
       multiplied by. */
    float (*round)(float *row, const float *x, int d);
    /* Scores of a row and n keys from j0, in place of the product; shared: what
       prepare made. */
    void (*score)(float *score, const struct attention *a, const void *shared, int i,
                  int j0, int n);
    size_t (*shared)(const struct attention *a);        /* bytes */
    void (*prepare)(void *shared, const struct attention *a);
    /* Scores [first, end) of a row become weights, what is outside 0; hidden scores are
       below SCORE_HIDDEN; spare [n] floats. */
    void (*weigh)(float *row, int n, int first, int end, const struct attention *a,
                  float *spare);
};

#define SCORE_HIDDEN (-1e37f)

/* As struct mechanism has them, with its steps. */
size_t pairs_room(const struct attention *a);
int64_t pairs_run(float *out, int64_t out_stride, const struct attention *a, void *room);

/* ---- chosen keys are scored ---- */

/* The same with its keys. */
size_t chosen_room(const struct attention *a);
int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *room);

/* Patterns are of positions in one text. */
const char *chosen_refuse(const struct attention *a);

/* ---- weights are products of features ---- */

struct feature_map {
    int (*count)(const struct attention *a);
    /*
     * phi[n, count] exp(top[n]) = features of n <= ATTEND_ROWS rows of x; spare
     * [ATTEND_ROWS, count] floats, features_scratch behind them.
     */
    void (*map)(double *phi, double *top, const struct attention *a, const float *x,
                int64_t stride, int n, float *spare);
};

/* Aligned floats for linear_panel behind spare. */
float *features_scratch(float *spare, int m);

/*
 * out_i = sum_j (f(q_i).f(k_j)) v_j / sum_j f(q_i).f(k_j) over j <= i, or all, by the
 * associative law: O(S) time, room that does not grow with T and S.
 */
size_t features_room(const struct attention *a, const struct feature_map *f);
int64_t features_run(float *out, int64_t out_stride, const struct attention *a,
                     const struct feature_map *f, void *room);
size_t features_reference_room(const struct attention *a, const struct feature_map *f);
void features_reference(double *w, double *out, const struct attention *a,
                        const struct feature_map *f, void *room);
const char *features_refuse(const struct attention *a);

/* ---- heads laid side by side ---- */

const char *joined_refuse(const struct attention *a);

/* ---- references ---- */

struct pair_formula {
    double (*score)(const struct attention *a, int i, int j);   /* before terms and cap;
                                                       NULL: scale q.k */
    bool (*sees)(const struct attention *a, int i, int j);      /* NULL: all */
    /* Scores become weights, -INFINITY is hidden, one at least is not; NULL: softmax */
    void (*weigh)(double *w, int n, const struct attention *a);
};

/* As struct mechanism has it, with its pairs; room is not used. */
void pairs_reference(double *w, double *out, const struct attention *a, void *room);
double pair_dot(const struct attention *a, int i, int j);       /* q_i.k_j */
void softmax_double(double *w, int n);

/* out = w v */
void reference_values(double *out, const double *w, const struct attention *a);

/* ---- rows of scores to points of the simplex; see weigh ---- */

void sparsemax_row(float *row, int n, int first, int end, float *spare);
void entmax_row(float *row, int n, int first, int end, float *spare);

#endif
