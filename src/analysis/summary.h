/* SPDX-License-Identifier: MIT
 *
 * Numbers of many texts -> their mean over the texts, and how sure it is.  Sums are exact, so
 * that neither the order nor the grouping of the texts changes a bit. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdint.h>

#include "base/arena.h"

/* One number over all texts in which it is defined. */
struct summary_estimate {
    double mean;                /* each text counts as much; NaN: n is 0 */
    double sd;                  /* of the texts, with n - 1; NaN: n is below 2 */
    double low, high;           /* the 95 % interval of the mean; NaN: n is below 2 */
    int64_t n;                  /* texts */
};

struct summary;

/* For texts of n numbers each; takes 24 kB a number. */
struct summary *summary_new(struct arena *a, int n);

/*
 * Adds the value[n] of a text with this number in the input; NaN: undefined.
 * Magnitudes below 2^31 (asserted).
 */
void summary_add(struct summary *s, int64_t text, const double *value);

/*
 * Number i of those added.  The interval is a bootstrap over texts: of 1000 replicates
 *
 *     m_b = sum w(b, text) value / sum w(b, text)
 *
 * it is the quantiles 0.025 and 0.975 (linear between the two nearest; Hyndman and Fan's
 * type 7); a replicate without a text is left out.  w = the least k with u < P(X <= k), X of
 * Poisson(1), u = (h >> 11) 2^-53, h = mix(mix(mix(1) ^ b) ^ text), mix one step of
 * splitmix64: so it depends on nothing but the texts' numbers and values.
 * Source: Hanley and MacGibbon 2006 (Poisson weights); Steele, Lea and Flood 2014 (splitmix).
 */
struct summary_estimate summary_of(const struct summary *s, int i);

#endif
