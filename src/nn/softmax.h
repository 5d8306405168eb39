/* SPDX-License-Identifier: MIT
 *
 * Scores of a row -> weights that sum to 1. */
#ifndef NN_SOFTMAX_H
#define NN_SOFTMAX_H

#include <math.h>

#include "base/elementary.h"

/* Sums of e = exp(x) and of e * x over a row, x = scale * score - maximum. */
struct softmax_sums {
    double e, ex;
};

/*
 * row[0 .. n) of scores becomes weights, row[j] = exp(scale row[j]) / sum, over columns
 * [first, end), which are not empty; the other columns become 0.  n is a multiple of
 * PANEL, row is aligned to 64 bytes, and column 0 is a key whose number is a multiple of
 * 16.  Computed by the chosen kernel.
 * If a score is NaN or infinite, the weights of all columns and the sums are NaN.
 */
struct softmax_sums softmax_row(float *row, int n, int first, int end, float scale);

/* The entropy of the row in nats: ln Z - sum(e x) / Z. */
static inline double softmax_sums_entropy(struct softmax_sums s)
{
    return elementary_log(s.e) - s.ex / s.e;
}

/*
 * The plain formula in double: w[j] = times[j] exp(w[j]) / sum, j < n; 0 if w[j] is
 * -INFINITY.  times [n]: how often each element counts; NULL: once.  At least one element must
 * be above -INFINITY.
 */
void softmax_double(double *w, const double *times, int n);

#endif
