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
    int n_rows;                 /* rows, without hidden queries */
    struct link *row;           /* [n_rows] ties: the smaller key */
    struct link words;          /* the strongest between two different tokens, neither of them
                                   special; key -1 if there is none.  Without this a table would
                                   mostly show that row 0 attends to itself. */
};

struct links;

/* For the texts, and the layers and heads of want; memory is allocated in a. */
struct links *links_new(struct arena *a, const struct model *model,
                        const struct attended *texts, const struct wanted *want);
struct sink links_sink(struct links *links);

/* After the pass, for a wanted head. */
const struct head_links *links_head(const struct links *links, int text, int layer,
                                    int head);

#endif
