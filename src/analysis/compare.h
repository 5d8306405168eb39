/* SPDX-License-Identifier: MIT
 *
 * Attention of two passes, head by head: another text, another model, another
 * precision.  The rows of the first pass are stored, those of the second compared with them. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "base/arena.h"
#include "run/run.h"

/* One side's queries or keys, and their counterparts on the other. */
struct axis_pair {
    int n_first, n_second;
    const int *first_of;        /* [n_second] index on the first side; -1: none */
};

/* How one head differs. */
struct head_difference {
    double js;              /* nats: mean over paired rows that see keys on both sides,
                               of the divergence of their weights; keys without a
                               counterpart are keys that the other row does not have;
                               NaN: no such row */
    double entropy_first, entropy_second;   /* nats: mean over all rows that see keys */
    double links_kept;      /* share of the paired rows whose strongest keys are each
                               other's counterparts */
    double largest;         /* largest difference of two weights of paired rows */
};

struct compare;

/*
 * For passes of one text each, over L layers of H heads.  Takes L x H x queries x
 * keys floats of a; queries and keys outlive it.
 */
struct compare *compare_new(struct arena *a, int L, int H, struct axis_pair queries,
                            struct axis_pair keys);
struct sink compare_first(struct compare *c);
struct sink compare_second(struct compare *c);      /* after the first pass */

/* After the second pass. */
struct head_difference compare_head(const struct compare *c, int layer, int head);

/*
 * Pairs names: by place where both sides have the same number, else by a longest common
 * subsequence.  first_of[n_second]; returns how many are paired.
 */
int compare_pair(struct arena *a, const char *const *first, int n_first,
                 const char *const *second, int n_second, int *first_of);

#endif
