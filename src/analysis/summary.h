/* SPDX-License-Identifier: MIT
 *
 * Numbers of many texts -> their mean over the texts, and how sure it is.  Sums are exact, so
 * that neither the order nor the grouping of the texts changes a bit. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/words.h"
#include "base/arena.h"

/* What is kept of each number. */
struct summary_kind {
    int n;                      /* numbers */
    int n_replicates;           /* of the bootstrap; 0: none.  24 bytes each a number */
    const bool *replicated;     /* [n] of which numbers; NULL: of all */
    bool halves;                /* for summary_reliability: 2.4 kB a number */
};

/* One number over all texts in which it is defined. */
struct summary_estimate {
    double mean;                /* each text counts as much; NaN: n is 0, or the values are too
                                   large for the sums (one of 2^30 or more, or squares that
                                   add up to 2^61), and then all the others are NaN too */
    double sd;                  /* of the texts, with n - 1; NaN: n is below 2 */
    double low, high;           /* the 95 % interval of the mean; NaN: n is below 2 */
    double boot_low, boot_high; /* the same by bootstrap; NaN also where there are no replicates */
    int64_t n;                  /* texts */
};

struct summary;

struct summary *summary_new(struct arena *a, const struct summary_kind *kind);

/* Adds the value[n] of a text with this number in the input; NaN: undefined. */
void summary_add(struct summary *s, int64_t text, const double *value);

/* Adds what another of the same kind, of other texts, has added. */
void summary_merge(struct summary *s, const struct summary *other);

/*
 * Number i of other as number first + i of s, whose texts they are, too; s has added nothing
 * there.  Both keep the same of each number.
 */
void summary_place(struct summary *s, int first, const struct summary *other);

/*
 * All that was added as words of 64 bits, as many as the kind has.  summary_take adds them to
 * what s holds already, as summary_merge does; false: no texts can have been summed to such
 * words, and nothing is added.
 */
uint64_t summary_n_words(const struct summary_kind *kind);
void summary_put(struct summary *s, uint64_t *words);
bool summary_take(struct summary *s, const uint64_t *words);
void summary_words(struct words *w, struct summary *s);     /* the same among other words */

/*
 * Number i of those added.  low and high are mean -+ t sd / sqrt(n), t of Student's
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
struct summary_estimate summary_of(const struct summary *s, int i);

/* The exact sum of number i, rounded once; NaN: too large for it. */
double summary_total(const struct summary *s, int i);

/* ---- how alike two halves of the texts are ---- */

struct summary_reliability {
    double r;                   /* Pearson, median over splits; NaN: none was left */
    double low, high;           /* quantiles 0.05 and 0.95 over splits */
    double whole;               /* 2 r / (1 + r): of all texts (Spearman and Brown 1910) */
};

/*
 * Of the numbers first, first + step, ... (count of them, one per head): the correlation of
 * their means over one half of the texts with those over the other.  Of 100 splits; in split
 * r, a text is in the first half where the lowest bit of h(r, text), as above, is 0.  Numbers
 * that a half lacks are left out of that split, and a split without two numbers, or where a
 * half's are all the same, is left out.
 */
struct summary_reliability summary_reliability(const struct summary *s, int first, int step,
                                               int count);

#endif
