/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the strongest link of every row of a head, and the strongest
 * between two words.  O(tokens) memory per head. */
#ifndef ANALYSIS_LINKS_H
#define ANALYSIS_LINKS_H

#include "analysis/slots.h"

struct link {
    int query, key;             /* key -1: every key of the row is hidden */
    float weight;
};

struct head_links {
    int n_rows;                 /* those that a filter left */
    struct link *row;           /* [n_rows] ties: the smaller key */
    struct link words;          /* the heaviest between two different tokens, neither
                                   of them special; key -1: there is none.  Without it
                                   a table would say that row 0 looks at itself. */
};

struct links;

/* For the texts and layers and heads of want; memory is of a. */
struct links *links_new(struct arena *a, const struct model *m,
                        const struct attended *texts, const struct wanted *want);
struct sink links_sink(struct links *links);

/* After the pass, of a head that was asked for. */
const struct head_links *links_head(const struct links *links, int text, int layer,
                                    int head);

#endif
