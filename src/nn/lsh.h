/* SPDX-License-Identifier: MIT
 *
 * Locality-sensitive hashing: vectors of similar direction get the same bucket.
 * In each round r, with R_r [d, width],
 *
 *     bucket = sum over factors i of argmax [x R_ri; -x R_ri] * (product of factors before)
 *
 * where R_ri are the next factor[i] / 2 columns of R_r; the first of equal maxima counts.
 * Source: Andoni et al. 2015; Kitaev et al. 2020, section 2. */
#ifndef NN_LSH_H
#define NN_LSH_H

#include <stdint.h>

struct lsh {
    int d, n_rounds, n_factors;
    const int *factor;          /* [n_factors] even; half their sum is width */
    int width;
    const float *rotation;      /* [d, n_rounds, width] of this head */
};

enum { LSH_ROWS = 32 };         /* rows that lsh_round multiplies at a time */

/*
 * bucket[n_rounds, T] of x [T, d], row t at x + t * x_stride, the products in double;
 * room n_rounds * width.
 */
void lsh_buckets(int *bucket, double *room, const float *x, int64_t x_stride,
                 const struct lsh *lsh, int T);

/*
 * bucket[T] of one round, with products in single precision by the chosen kernel: faster, but a
 * row at equal distance from two buckets may get the other one.
 * product [LSH_ROWS, width]; scratch linear_scratch(d), aligned to 64 bytes; room [width].
 */
void lsh_round(int *bucket, float *product, float *scratch, double *room, const float *x,
               int64_t x_stride, const struct lsh *lsh, int round, int T);

/* order[T]: the tokens by bucket, then by position; room [T]. */
void lsh_order(int *order, uint64_t *room, const int *bucket, int T);

#endif
