/* SPDX-License-Identifier: MIT
 * Linear attention: mechanisms whose weights are products of features of query and key. */
#ifndef NN_MECHANISM_FEATURES_H
#define NN_MECHANISM_FEATURES_H

#include "nn/mechanism.h"

struct feature_map {
    int (*count)(const struct attention *a);
    /*
     * ln[n, count] = logarithms of the features of n <= ATTEND_ROWS rows of x; spare has
     * [ATTEND_ROWS, count] floats, then features_scratch.
     */
    void (*map)(double *ln, const struct attention *a, const float *x, int64_t stride, int n,
                float *spare);
};

/* Scratch memory after the floats of spare, aligned for linear_panel; m features. */
float *features_scratch(float *spare, int m);

/*
 * out_i = sum_j (f(q_i).f(k_j)) v_j / sum_j f(q_i).f(k_j) over j <= i, or all, by the
 * associative law: O(S) time, and memory independent of T and S.
 */
uint64_t features_room(const struct attention *a, const struct feature_map *map);
int64_t features_run(float *out, int64_t out_stride, const struct attention *a,
                     const struct feature_map *map, void *room);
uint64_t features_reference_room(const struct attention *a, const struct feature_map *map);
void features_reference(double *w, double *out, const struct attention *a,
                        const struct feature_map *map, void *room);
const char *features_refuse(const struct attention *a);

#endif
