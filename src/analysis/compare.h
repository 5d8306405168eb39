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
                               of the divergence of them, which sum to 1; keys without a
                               counterpart are keys that the other row does not have;
                               NaN: no such row */
    double entropy_first, entropy_second;   /* nats: mean over all rows that see keys */
    double links_kept;      /* share of the paired rows whose strongest keys are each
                               other's counterparts */
    double largest;         /* largest difference of two weights of such rows */
};

struct compare;

/*
 * For passes of one text each, over L layers of H heads.  Takes L x H x queries x
 * keys floats of a; queries and keys outlive it.
 */
struct compare *compare_new(struct arena *a, int L, int H, struct axis_pair queries,
                            struct axis_pair keys);

/* Before the first pass: of each side only this row counts, also in the entropies. */
void compare_only(struct compare *c, int first, int second);

/* Before the first pass: each head is also compared with every head of the other side. */
void compare_all(struct compare *c, struct arena *a);

struct sink compare_first(struct compare *c);
struct sink compare_second(struct compare *c);      /* after the first pass */

/* After the second pass. */
struct head_difference compare_head(const struct compare *c, int layer, int head);

/*
 * The head of the second side that is the most like this one of the first, of equal ones the
 * first: best[] is its layer and number, -1: there is none.  Returns the mean divergence of
 * their paired rows; NaN: there is none.
 */
double compare_best(const struct compare *c, int layer, int head, int best[2]);

/* The strongest keys of the rows of compare_only; -1: there are none, or they see no key. */
void compare_strongest(const struct compare *c, int layer, int head, int key[2]);

/* ---- pairing ---- */

struct compare_names {
    const char *const *name;    /* [n] */
    int n;
};

/*
 * Pairs names: by place where both sides have the same number, else by a longest common
 * subsequence.  first_of[second.n]; returns how many are paired.
 */
int compare_pair(struct arena *a, struct compare_names first, struct compare_names second,
                 int *first_of);

/*
 * The same where name at[0] of the first and at[1] of the second are known to be a pair:
 * those before it, and those after it, each for themselves.  They are paired by place, where
 * there are equally many, only if at[0] is at[1]: then the names before it do not depend on
 * those after it.
 */
int compare_pair_around(struct arena *a, struct compare_names first,
                        struct compare_names second, const int at[2], int *first_of);

/*
 * How many names of the first side the second has too, wherever they stand; a name that one
 * side has more often counts as often as the other has it.
 */
int compare_shared(struct arena *a, struct compare_names first, struct compare_names second);

#endif
