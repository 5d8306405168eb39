/* SPDX-License-Identifier: MIT
 * Which metrics the reports show, and the order of their heads. */
#include <math.h>
#include <stdlib.h>

#include "cmd/stats.h"

static int by_key(const void *x, const void *y)
{
    const struct stats_rank *a = x, *b = y;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->place - b->place;
}

void stats_sort(const struct stats_job *j, struct stats_rank *rank, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(rank[i].key))
            rank[i].key = -INFINITY;
    qsort(rank, (size_t)n, sizeof *rank, by_key);
    for (int i = 0; j->args->reverse && i < n / 2; i++) {
        struct stats_rank kept = rank[i];

        rank[i] = rank[n - 1 - i];
        rank[n - 1 - i] = kept;
    }
}

/*
 * Columns are those of the metrics that are computed; a table has the basic ones and those
 * that were named, for a screen is not wide enough for all.
 */
const struct record *stats_without_metrics(const struct stats_job *j, const struct record *r)
{
    struct arena *a = j->job.s.a;
    const char **absent = arena_alloc(a, N_METRIC + 1, sizeof *absent);
    const char **narrow = arena_alloc(a, N_METRIC + 1, sizeof *narrow);
    int n_absent = 0, n_narrow = 0;

    for (int i = 0; i < N_METRIC; i++)
        if (!j->choice.wanted[i])
            absent[n_absent++] = metric_table[i].name;
        else if (metric_table[i].group != METRIC_BASIC && !j->choice.named[i])
            narrow[n_narrow++] = metric_table[i].name;
    return record_without(a, record_without(a, r, IN_ALL, absent), IN_TABLE, narrow);
}
