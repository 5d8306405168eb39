/* SPDX-License-Identifier: MIT
 *
 * Choice of the keys that a cache of bounded size keeps: by the attention that they have received
 * (H2O), or page by page by a bound of their products (Quest).  The mechanisms h2o and quest attend
 * to these keys; metrics measure how much of the full attention they have. */
#ifndef NN_KEEP_H
#define NN_KEEP_H

#include <stdint.h>

/*
 * at[min(n, k)] = the indices of the k highest of x[n], ascending; the first among equals.
 * Returns their number; room [k].
 */
int keep_highest(int *at, const double *x, int n, int k, double *room);

/*
 * Heavy hitters (H2O).  Of the keys key[n], ascending, keeps the last `recent`, and of the
 * others the budget - recent with the most votes; among votes that are equal after rounding to
 * 1e-6, the first keys.  They move to the front of key, ascending; returns their number,
 * min(n, budget).
 *
 * votes    by key: sum of the attention weights of earlier rows
 * recent   <= budget
 * at [n], room [n + budget]
 *
 * Source: Zhang et al. 2023, algorithm 1; votes are not divided by the rows that gave them.
 */
int keep_heavy(int *key, int n, const double *votes, int recent, int budget, int *at,
               double *room);

/* Bounds of the pages of keys added so far. */
struct keep_pages {
    int size, d;                /* keys of a page; width of a key */
    float *low, *high;          /* [pages, d] least and largest element of a page's keys */
    int n;                      /* keys so far */
};

/* Adds keys n .. end - 1 of k [.., d], row j at k + j * k_stride. */
void keep_add(struct keep_pages *pages, const float *k, int64_t k_stride, int end);

/* sum over c of max(q_c low_c, q_c high_c), an upper bound of q.k for all keys of the page. */
double keep_bound(const struct keep_pages *pages, const float *q, int page);

/* The same over the keys key[n] alone, n > 0. */
double keep_bound_of(const float *q, const float *k, int64_t k_stride, int d, const int *key,
                     int n);

#endif
