/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> a report a head: the mean of each metric, the strongest
 * link of every row, the strongest links overall.  O(tokens) memory a head. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include "analysis/metric.h"
#include "base/arena.h"
#include "run/run.h"

struct link {
    int query, key;             /* key -1: every key of the row is hidden */
    float weight;
};

struct head_stats {
    int stack, layer, head;
    double mean[N_METRIC];      /* NaN: defined for no row */
    int n_skipped;              /* rows that see no key: they are in no mean */
    int n_links;
    struct link *link;          /* [n_links] one a row; ties: the smaller key */
    int n_top;
    struct link *top;           /* [n_top] heaviest first; ties: smaller query, key */
    struct link words;          /* the heaviest between two different tokens, neither
                                   of them special; key -1: there is none.  Without it
                                   a table would say that row 0 looks at itself. */
};

struct stats;

/* The texts that look and are looked at. */
struct attended {
    const struct batch *queries;
    const struct batch *keys;   /* NULL: the same; else cross-attention */
    /* [tokens of the batch] 1: put there by the template; NULL: none is */
    const unsigned char *query_special, *key_special;
};

/*
 * For these texts and the layers and heads of want; n_top links overall.  What
 * texts points to outlives the stats; all memory is of a.
 */
struct stats *stats_new(struct arena *a, const struct model *m,
                        const struct attended *texts, const struct wanted *want,
                        const struct metric_opts *opts, int n_top);

/* To be given to run_forward. */
struct sink stats_sink(struct stats *s);

/* After the pass; NULL where the head was not wanted. */
const struct head_stats *stats_head(const struct stats *s, int text, int layer,
                                    int head);

#endif
