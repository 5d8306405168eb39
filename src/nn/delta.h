/* SPDX-License-Identifier: MIT
 *
 * The gated delta rule: the memory of one head is a matrix from keys to values, which each token
 * first decays, then corrects by its error for the token's key. */
#ifndef NN_DELTA_H
#define NN_DELTA_H

#include <stdint.h>

struct delta {
    int d_k, d_v;
    const float *q, *k, *v;             /* rows [d_k], [d_k], [d_v] of a token */
    int64_t stride, v_stride;           /* floats from token to token, of q and k, of v */
    const float *keep, *learn;          /* decay factor and learning rate of a token */
    int64_t rate_stride;
};

/*
 * For each of T tokens, with the state S[d_k, d_v], which is updated:
 *     S = keep S      S += k (learn (v - S^T k))^T      y = S^T q
 * y at y_stride, room [d_v]; sums over d_k from 0 upwards.
 * Source: Yang et al. 2024, Gated Delta Networks, eq. 10.
 */
void delta_scan(float *y, int64_t y_stride, float *S, float *room, const struct delta *delta,
                int T);

void delta_unit(float *x, int n, float scale);

#endif
