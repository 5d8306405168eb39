/* SPDX-License-Identifier: MIT
 *
 * A filter between a pass and its sinks, for --hide, --renorm and --merge: rows without hidden
 * tokens, and of words instead of tokens.  All sinks get the same rows. */
#ifndef RUN_FILTER_H
#define RUN_FILTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "run/sink.h"

/* The queries or the keys of a text. */
struct filter_side {
    int n;
    const unsigned char *out;   /* [n] 1: hidden; NULL if none is hidden */
    const int *group;           /* [n] the word of each token, from 0 in order; NULL: tokens are
                                   not merged */
    int n_groups;               /* number of words */
};

struct filter {
    const struct filter_text {
        struct filter_side queries, keys;
    } *text;                    /* [n_texts] */
    int n_texts;
    bool leaves_out;            /* some key of some text is hidden */
    bool renorm;                /* rows are divided by their remaining sum for all sinks, not only
                                   for those with .divided */
};

/*
 * Makes sinks out[] that a pass fills in place of to[n]; returns their number.  They pass on one
 * row at a time:
 *
 *     left out    a query: no row; a key: hidden, and marked in rows.out
 *     word        weights are summed over the tokens of a key word, then averaged over those tokens
 *                 of a query word that see any key; a key that one of them sees is visible
 *     divided     by the remaining sum of weights plus null_mass, the share of the model's
 *                 attention sink, which is divided, too; the row of a word is the mean of such
 *                 rows
 *     entropy     of the divided row, even if the weights are not divided
 *     null_mass   of a word: the mean
 *
 * A row with no key left, or no weight, has n_visible 0.  Rows that nothing is left out of
 * keep their entropy.  Texts of SINK_TEXTS must be alike.  filter, all it points to, and to must
 * last until the end of the pass; memory is allocated in a.
 */
int filter_sinks(struct arena *a, const struct filter *filter, int n_heads, const struct sink *to,
                 int n, struct sink *out);

#endif
