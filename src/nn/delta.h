/* SPDX-License-Identifier: MIT
 *
 * The gated delta rule: what one head remembers of the tokens so far, as a matrix of keys by
 * values that every token makes fade, then corrects by what it says wrong of its own key. */
#ifndef NN_DELTA_H
#define NN_DELTA_H

#include <stdint.h>

struct delta {
    int d_k, d_v;
    const float *q, *k, *v;             /* rows [d_k], [d_k], [d_v] of a token */
    int64_t stride, v_stride;           /* floats from token to token, of q and k, of v */
    const float *keep, *learn;          /* of a token, at their strides */
    int64_t rate_stride;
};

/*
 * For each of T tokens, with S[d_k, d_v] the state, which the call moves on:
 *     S = keep S      S += k (learn (v - S^T k))^T      y = S^T q
 * y at y_stride, room [d_v]; sums over d_k from 0 upwards.
 * Source: Yang et al. 2024, Gated Delta Networks, eq. 10.
 */
void delta_scan(float *y, int64_t y_stride, float *S, float *room, const struct delta *d, int T);

/* x[n] /= sqrt(sum x^2 + 1e-6), times scale. */
void delta_unit(float *x, int n, float scale);

#endif
