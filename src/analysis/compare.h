/* SPDX-License-Identifier: MIT
 *
 * Comparison of the attention of two passes, head by head: of two texts, models or precisions.  The
 * rows of the first pass are stored, those of the second compared with them. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "base/arena.h"
#include "run/run.h"

/* The pairing of both sides' queries, or keys. */
struct axis_pair {
    int n_first, n_second;
    const int *first_of;        /* [n_second] index of the counterpart on the first side; -1: none
                                   */
};

/* The differences of one head. */
struct head_difference {
    double js;              /* nats: mean Jensen-Shannon divergence over paired rows that see
                               keys on both sides; a key without a counterpart has weight 0 in the
                               other row; NaN: no such row */
    double entropy_first, entropy_second;   /* nats: mean over all rows that see keys */
    double links_kept;      /* share of the paired rows whose strongest keys are each
                               other's counterparts */
    double largest;         /* largest difference of two weights of such rows */
};

struct compare;

/*
 * For passes of one text each, over L layers of H heads.  Allocates L x H x queries x keys floats
 * in a; queries and keys must outlive it.
 */
struct compare *compare_new(struct arena *a, int L, int H, struct axis_pair queries,
                            struct axis_pair keys);

/* Before the first pass: only these rows of both sides count, also in the entropies. */
void compare_only(struct compare *compare, int first, int second);

/* Before the first pass: each head is also compared with every head of the other side. */
void compare_all(struct compare *compare, struct arena *a);

struct sink compare_first(struct compare *compare);
struct sink compare_second(struct compare *compare);      /* after the first pass */

/* After the second pass. */
struct head_difference compare_head(const struct compare *compare, int layer, int head);

/*
 * The head of the second side that is most similar to this one of the first, the first among
 * equals: best[] = its layer and number; -1 if there is none.  Returns the mean divergence of their
 * paired rows; NaN if there is none.
 */
double compare_best(const struct compare *compare, int layer, int head, int best[2]);

/* The strongest keys of the two rows of compare_only; -1 if there is no such row, or it sees no
 * key. */
void compare_strongest(const struct compare *compare, int layer, int head, int key[2]);

/* ---- pairing ---- */

struct compare_names {
    const char *const *name;    /* [n] */
    int n;
};

/*
 * Pairs names: by position if both sides have equally many, else by a longest common subsequence.
 * Sets first_of[second.n]; returns the number of pairs.
 */
int compare_pair(struct arena *a, struct compare_names first, struct compare_names second,
                 int *first_of);

/*
 * The same if name at[0] of the first side and at[1] of the second are known to be a pair: names
 * before it and after it are paired separately; by position, if they are equally many, only if
 * at[0] is at[1]: then the pairs before it do not depend on the names after it.
 */
int compare_pair_around(struct arena *a, struct compare_names first,
                        struct compare_names second, const int at[2], int *first_of);

/*
 * Number of names that both sides have, at any position; a repeated name counts as often as it
 * occurs on both sides.
 */
int compare_shared(struct arena *a, struct compare_names first, struct compare_names second);

#endif
