/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the links of one text that are drawn as lines: the strongest of each row
 * that cover a share of it, and at most `most` of these per head.  O(most + keys) memory per head.
 * */
#ifndef ANALYSIS_STRONG_H
#define ANALYSIS_STRONG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "run/run.h"

struct strong_link {
    int query, key;             /* indices among the shown tokens */
    int head;                   /* index among the wanted heads */
    float weight;
};

/* The rule of selection. */
struct strong_rule {
    double share;               /* 0..1: the strongest of a row, until they cover this share of the
                                   shown weights */
    float least;                /* least weight; links of weight 0 never count */
    int most;                   /* most links of a head, and in all; >= 1 */
    const int *row, *col;       /* [tokens] indices of shown queries and keys; -1: left out */
    int n_keys;
    int sink;                   /* index of the model's attention sink as a key; -1 if it has none
                                   */
};

/* Result over all heads: the links, from the weakest, and how many there would be without `most`.
 * */
struct strong_links {
    int n;
    const struct strong_link *link;     /* [n] */
    int64_t n_all;
    double sink_share;          /* mean over rows of the attention sink's weight; 0 if there is none
                                   */
};

/* For a text of a pass, and the wanted heads in the order of session_next_head.  Memory is
 * allocated in a; what the rule points to must last until the end. */
struct strong *strong_new(struct arena *a, const struct model *model, const struct wanted *want,
                          const struct strong_rule *rule);
struct sink strong_sink(struct strong *strong);

/* After the pass.  Among equal weights, smaller queries, keys and heads count as stronger. */
struct strong_links strong_end(struct strong *strong);

#endif
