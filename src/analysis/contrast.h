/* SPDX-License-Identifier: MIT
 *
 * Two groups of texts -> how much a number differs between them, and how sure that is. */
#ifndef ANALYSIS_CONTRAST_H
#define ANALYSIS_CONTRAST_H

#include "analysis/summary.h"
#include "base/arena.h"

enum { CONTRAST_FEW = 20 };     /* texts in all, up to which p is exact */

struct contrast {
    double difference;          /* mean of the second - mean of the first; NaN: one is */
    double low, high;           /* its 95 % interval; NaN: a group of fewer than two texts */
    double p;                   /* of a difference so large by chance; NaN: not to be had */
    double q;                   /* contrast_adjust; NaN until then */
};

/*
 * The interval is Welch's, difference -+ t s, s^2 = sd_1^2 / n_1 + sd_2^2 / n_2, with
 *
 *     s^4 / (sd_1^4 / (n_1^2 (n_1 - 1)) + sd_2^4 / (n_2^2 (n_2 - 1)))
 *
 * degrees of freedom, and p is that of |difference| / s; NaN where neither group varies.
 * Source: Welch 1947.
 */
struct contrast contrast_of(const struct summary_estimate *first,
                            const struct summary_estimate *second);

/*
 * The exact p of the values of the texts, NaN those that lack the number, n_first + n_second
 * <= CONTRAST_FEW: the share of all ways to part them into groups of these sizes whose means
 * differ at least as much (but for 1e-12 of it).  NaN: a group has none.
 * Source: Fisher 1935.
 */
double contrast_exact(const double *first, int n_first, const double *second, int n_second);

/*
 * Sets the q of all x[count] from their p: the least rate of false discoveries at which it is
 * one.  Those without a p do not count.  Source: Benjamini and Hochberg 1995.
 */
void contrast_adjust(struct arena *a, struct contrast **x, int count);

#endif
