/* SPDX-License-Identifier: MIT
 *
 * Two groups of texts -> the difference of a number between them, its interval and its p value. */
#ifndef ANALYSIS_CONTRAST_H
#define ANALYSIS_CONTRAST_H

#include "analysis/summary.h"
#include "base/arena.h"

enum { CONTRAST_FEW = 20 };     /* texts in all, up to which p is exact */

struct contrast {
    double difference;          /* mean of the second - mean of the first; NaN if one of them is */
    double low, high;           /* its 95 % interval; NaN if a group has fewer than two texts */
    double p;                   /* probability of so large a difference by chance; NaN: undefined */
    double q;                   /* false discovery rate, by contrast_adjust; NaN until then */
};

/*
 * The interval is Welch's, difference -+ t s, s^2 = sd_1^2 / n_1 + sd_2^2 / n_2, with
 *
 *     s^4 / (sd_1^4 / (n_1^2 (n_1 - 1)) + sd_2^4 / (n_2^2 (n_2 - 1)))
 *
 * degrees of freedom, and p is that of |difference| / s; NaN if neither group varies.
 * Source: Welch 1947.
 */
struct contrast contrast_of(const struct summary_estimate *first,
                            const struct summary_estimate *second);

/*
 * The exact p of a permutation test on the values of texts (NaN: undefined), n_first + n_second
 * <= CONTRAST_FEW: the share of all partitions into groups of these sizes whose means differ at
 * least as much (within 1e-12 of it).  NaN: a group has no values.
 * Source: Fisher 1935.
 */
double contrast_exact(const double *first, int n_first, const double *second, int n_second);

/*
 * Sets the q of all x[count] from their p: the least false discovery rate at which it is
 * significant. Those without a p do not count.  Source: Benjamini and Hochberg 1995.
 */
void contrast_adjust(struct arena *a, struct contrast **x, int count);

#endif
