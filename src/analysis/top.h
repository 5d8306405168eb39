/* SPDX-License-Identifier: MIT
 * Rows of attention -> the strongest links of each head. */
#ifndef ANALYSIS_TOP_H
#define ANALYSIS_TOP_H

#include "analysis/links.h"

struct head_top {
    int n;                      /* at most as many as were asked for */
    struct link *link;          /* [n] heaviest first; ties: smaller query, then key */
};

struct top;

/* The n_links heaviest for the texts and layers and heads of want; memory is of a. */
struct top *top_new(struct arena *a, const struct model *m, const struct attended *texts,
                    const struct wanted *want, int n_links);
struct sink top_sink(struct top *top);

/* After the pass, of a head that was asked for. */
const struct head_top *top_head(const struct top *top, int text, int layer, int head);

#endif
