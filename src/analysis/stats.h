/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the metrics of each head.  O(tokens) memory per head, as long
 * as no metric keeps more. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include "analysis/metric.h"

/* Which metrics are computed, and how. */
struct metric_set {
    const struct metric *metric;    /* [n] metric_table, or some of its rows, or others */
    int n;
    struct metric_opts opts;
    struct progress *progress;      /* of the thread of the pass, told where metrics take long;
                                       NULL: nobody is */
};

/* The value of a METRIC_LIST. */
struct stats_list {
    double *v;                  /* [n] NaN: undefined */
    int n;                      /* -1: the list is undefined */
};

struct head_stats {
    int stack, layer, head;
    const double *value;        /* [n] of each metric; NaN: undefined, or a list */
    const struct stats_list *list;  /* [n] of each metric; v NULL: a number or a word */
    int n_skipped;              /* rows that see no key: they count in no metric */
};

struct stats;

/*
 * For the texts and layers and heads of want.  The set must outlive the stats, want and
 * what texts points to the pass; all memory is of a.
 */
struct stats *stats_new(struct arena *a, const struct model *m,
                        const struct attended *texts, const struct wanted *want,
                        const struct metric_set *set);

/* Sinks for the pass, one or two; returns how many. */
enum { STATS_SINKS = 2 };
int stats_sinks(struct stats *s, struct sink sinks[STATS_SINKS]);

/*
 * For the pass beside the sinks, where metrics look at queries and keys; else NULL.  It is of
 * the stats.
 */
const struct tap *stats_tap(const struct stats *s);

/*
 * After the pass, the METRIC_MAP at this place of the set: [queries, keys]; NULL: it is
 * undefined, or none.
 */
const double *stats_map(const struct stats *s, int text, int metric);

/* After the pass; NULL where the head was not asked for. */
const struct head_stats *stats_head(const struct stats *s, int text, int layer,
                                    int head);

#endif
