/* SPDX-License-Identifier: MIT
 *
 * Rows on their way to sinks, less tokens that are left out, and of words instead of their
 * pieces.  Stands between a pass and its sinks, so that all of them get the same. */
#ifndef RUN_FILTER_H
#define RUN_FILTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "run/sink.h"

/* The queries or the keys of a text. */
struct filter_side {
    int n;
    const unsigned char *out;   /* [n] 1: left out; NULL: none is */
    const int *group;           /* [n] the word that each becomes, from 0 in order; NULL: they
                                   stay as they are */
    int n_groups;               /* words */
};

struct filter {
    const struct filter_text {
        struct filter_side queries, keys;
    } *text;                    /* [n_texts] */
    int n_texts;
    bool leaves_out;            /* some key of some text */
    bool renorm;                /* the rows of every sink are divided by the sum of what is left,
                                   not only of those that ask for it */
};

/*
 * Sinks for the pass in place of to[n]; returns how many.  They give one row at a time:
 *
 *     left out    no row, or key: the key is hidden, and marked in rows.out
 *     word        sum over the pieces of a key, then mean over those of a query that see a
 *                 key; a key that one of them sees is visible
 *     divided     by what is left of it: its sum, and what a sink of the model took (null_mass,
 *                 which is divided, too); a row of a word is the mean of such rows
 *     entropy     of the row so divided, whether it is or not
 *     null_mass   of a word the mean
 *
 * A row with no key left, or no weight, has n_visible 0.  Rows that nothing is left out of
 * keep their entropy.  Texts of SINK_TEXTS must be alike.  f and what it points to, and to,
 * must last until the end of the pass; memory is of a.
 */
int filter_sinks(struct arena *a, const struct filter *f, int n_heads, const struct sink *to,
                 int n, struct sink *out);

#endif
