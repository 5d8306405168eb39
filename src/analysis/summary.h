/* SPDX-License-Identifier: MIT
 *
 * Numbers of many texts -> their means over the texts, with intervals.  Sums are exact, so that
 * neither the order nor the grouping of the texts changes a bit. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/words.h"
#include "base/arena.h"

/* The kind of a summary: how many numbers, and which sums of each. */
struct summary_kind {
    int n;                      /* numbers per text */
    int n_replicates;           /* replicates of the bootstrap, 24 bytes each per number; 0: none */
    const bool *replicated;     /* [n] numbers that have replicates; NULL: all */
    bool halves;                /* sums for summary_reliability, 2.4 kB per number */
};

/* One number over all texts in which it is defined. */
struct summary_estimate {
    double mean;                /* all texts have the same weight; NaN if n is 0, or values are too
                                   large for the sums (one of 2^30 or more, or squares that add up
                                   to 2^61), and then all fields below are NaN, too */
    double sd;                  /* standard deviation over texts (n - 1); NaN if n is below 2 */
    double low, high;           /* 95 % interval of the mean; NaN if n is below 2 */
    double boot_low, boot_high; /* the same by bootstrap; NaN also without replicates */
    int64_t n;                  /* number of texts */
};

struct summary;

struct summary *summary_new(struct arena *a, const struct summary_kind *kind);

/* Adds the value[n] of a text with this number in the input; NaN: undefined. */
void summary_add(struct summary *summary, int64_t text, const double *value);

/* Adds the sums of another summary of the same kind, over other texts. */
void summary_merge(struct summary *summary, const struct summary *other);

/*
 * Copies number i of other, over the same texts, to number first + i of summary, for which summary
 * has no sums yet.  Both must have the same replicates and halves.
 */
void summary_place(struct summary *summary, int first, const struct summary *other);

/*
 * All sums as words of 64 bits; their number depends on the kind.  summary_take adds such words to
 * the sums of s, as summary_merge does; false: they are not sums of any texts, and nothing is
 * added.
 */
uint64_t summary_n_words(const struct summary_kind *kind);
void summary_put(struct summary *summary, uint64_t *words);
bool summary_take(struct summary *summary, const uint64_t *words);
void summary_words(struct words *words, struct summary *summary); /* the same among other words */

/*
 * The estimate of number i.  low and high are mean -+ t sd / sqrt(n), t of Student's
 * distribution with n - 1 degrees of freedom.  The bootstrap is over texts: of its replicates
 *
 *     m_b = sum w(b, text) value / sum w(b, text)
 *
 * boot_low and boot_high are the quantiles 0.025 and 0.975 (linear between the two nearest;
 * Hyndman and Fan's type 7); a replicate without a text is left out.  w = the least k with
 * u < P(X <= k), X of Poisson(1), u = (h >> 11) 2^-53, h = mix(mix(mix(1) ^ b) ^ text), mix
 * one step of splitmix64: so it depends on nothing but the texts' numbers and values.
 * Source: Hanley and MacGibbon 2006 (Poisson weights); Steele, Lea and Flood 2014 (splitmix).
 */
struct summary_estimate summary_of(const struct summary *summary, int i);

/* The exact sum of number i, rounded once; NaN if values are too large for the sums. */
double summary_total(const struct summary *summary, int i);

/* ---- split-half reliability ---- */

struct summary_reliability {
    double r;                   /* Pearson correlation, median over splits; NaN if none was valid */
    double low, high;           /* quantiles 0.05 and 0.95 over splits */
    double whole;               /* 2 r / (1 + r): for all texts (Spearman and Brown 1910) */
};

/*
 * Split-half reliability of the numbers first, first + step, ... (count of them, one per head): the
 * correlation of their means over one half of the texts with those over the other, in 100 splits.
 * In split r, a text is in the first half if the lowest bit of h(r, text), as above, is 0.  Numbers
 * that are undefined in a half are left out of that split; splits with fewer than two numbers, or
 * in which those of a half are all equal, are left out.
 */
struct summary_reliability summary_reliability(const struct summary *summary, int first, int step,
                                               int count);

#endif
