/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the links of one text that are worth a line: of each row the strongest
 * that hold a share of it, and of those of a head no more than can be told apart.  O(most +
 * keys) memory per head. */
#ifndef ANALYSIS_STRONG_H
#define ANALYSIS_STRONG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "run/run.h"

struct strong_link {
    int query, key;             /* places among those that are shown */
    int head;                   /* which of the heads that were asked for */
    float weight;
};

/* Which links are kept. */
struct strong_rule {
    double share;               /* 0..1: the strongest of a row, until they hold this share of
                                   what is shown of it */
    float least;                /* none below this, and none of 0 */
    int most;                   /* the strongest of a head, and of all; >= 1 */
    const int *row, *col;       /* [tokens] places of queries and keys; -1: left out */
    int n_keys;
    int sink;                   /* place of what a sink of the model takes that is not a key; -1:
                                   it has none */
};

/* Of all heads together: the links, from the weakest, and how many there would be of them
 * without most. */
struct strong_links {
    int n;
    const struct strong_link *link;     /* [n] */
    int64_t n_all;
    double sink_share;          /* mean over the rows of what a sink takes of them; 0: none */
};

/* For a text of a pass; of the wanted heads in the order of session_next_head.  Memory is of a,
 * and what the rule points to must last until the end. */
struct strong *strong_new(struct arena *a, const struct model *m, const struct wanted *want,
                          const struct strong_rule *rule);
struct sink strong_sink(struct strong *strong);

/* After the pass.  Equal weights: the smaller query, key and head are the stronger. */
struct strong_links strong_end(struct strong *strong);

#endif
