/* SPDX-License-Identifier: MIT
 * Rows of attention -> the strongest links of each head. */
#ifndef ANALYSIS_TOP_H
#define ANALYSIS_TOP_H

#include "analysis/links.h"

struct head_top {
    int n;                      /* at most n_links */
    struct link *link;          /* [n] strongest first; ties: smaller query, then key */
};

struct top;

/* For the n_links strongest, of the texts, and the layers and heads of want; memory is allocated in
 * a. */
struct top *top_new(struct arena *a, const struct model *model, const struct attended *texts,
                    const struct wanted *want, int n_links);
struct sink top_sink(struct top *top);

/* After the pass, for a wanted head. */
const struct head_top *top_head(const struct top *top, int text, int layer, int head);

#endif
