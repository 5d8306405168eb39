/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the metrics of each head.  O(tokens) memory per head, unless a metric's
 * state is larger. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include "analysis/metric.h"

/* Which metrics are computed, and how. */
struct metric_set {
    const struct metric *metric;    /* [n] metric_table, or some of its rows, or others */
    int n;
    struct metric_opts opts;
    struct progress *progress;      /* informed by metrics that take long; may be NULL */
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
    int n_skipped;              /* rows that see no key, which count in no metric */
};

struct stats;

/*
 * For the texts, and the layers and heads of want.  The set must outlive the stats; want, and what
 * texts points to, the pass; all memory is allocated in a.
 */
struct stats *stats_new(struct arena *a, const struct model *model,
                        const struct attended *texts, const struct wanted *want,
                        const struct metric_set *set);

/* Sets the sinks for the pass; returns their number, one or two. */
enum { STATS_SINKS = 2 };
int stats_sinks(struct stats *stats, struct sink sinks[STATS_SINKS]);

/*
 * The tap for the pass, in addition to the sinks, if metrics read queries and keys; else NULL.  It
 * belongs to the stats.
 */
const struct tap *stats_tap(const struct stats *stats);

/*
 * After the pass, the METRIC_MAP at this index of the set: [queries, keys]; NULL if it is
 * undefined, or not a map.
 */
const double *stats_map(const struct stats *stats, int text, int metric);

/* After the pass; NULL for a head that is not wanted. */
const struct head_stats *stats_head(const struct stats *stats, int text, int layer,
                                    int head);

#endif
