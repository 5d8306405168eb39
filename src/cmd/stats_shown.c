/* SPDX-License-Identifier: MIT
 * Which metrics are computed and shown, and the order of the heads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cmd/stats.h"

/* "layer": as the heads stand in the model; then the metrics that are numbers, largest first. */
#define SORT_NUMBER(name) name,
#define SORT_LIST(name)
#define SORT_WORD(name)
#define SORT_MAP(name)
const char *const stats_sorts[] = {
    "layer",
#define METRIC(id, name, heading, unit, kind, ...) SORT_##kind(name)
#include "analysis/metrics.def"
#undef METRIC
    NULL
};

/* ---- which metrics ---- */

static int find_sort(const char *name, int *sort, struct err *e)
{
    const char *meant;

    for (int i = 0; stats_sorts[i] != NULL; i++)
        if (name == NULL || strcmp(name, stats_sorts[i]) == 0) {
            *sort = metric_find(stats_sorts[i]);
            return 0;
        }
    meant = nearest_name(name, stats_sorts);
    return err_set(e, ERR_USAGE, "--sort: '%s' is neither 'layer' nor a metric%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

/* A metric that the heads are sorted by is computed, and shown. */
int stats_choose(struct stats_job *job, struct err *e)
{
    const struct stats_args *args = job->args;

    if (args->compute == NULL)
        job->choice = metric_choice_basic();
    else if (metric_choice_add(&job->choice, args->compute, e) != 0)
        return err_under(e, "--compute");
    if (find_sort(args->sort, &job->sort, e) != 0)
        return -1;
    if (job->sort >= 0)
        job->choice.wanted[job->sort] = job->choice.named[job->sort] = true;
    job->set.opts = (struct metric_opts){ args->entropy_eps, args->clusters };
    return 0;
}

/* Lists and matrices are in JSON; those of a whole text are of all of its rows. */
static int leave_out_kinds(struct stats_job *job, struct err *e)
{
    static const char only[] = "only --json prints it", numbers[] = "--summary is of numbers";
    const struct wanted *want = &job->job.want;

    if (job->job.of_many &&
        (metric_choice_drop(&job->choice, METRIC_LIST, numbers, e) != 0 ||
         metric_choice_drop(&job->choice, METRIC_WORD, numbers, e) != 0 ||
         metric_choice_drop(&job->choice, METRIC_MAP, numbers, e) != 0))
        return -1;
    if ((want->layer != NULL || want->head != NULL) &&
        metric_choice_drop(&job->choice, METRIC_MAP, "it is of all layers and heads", e) != 0)
        return -1;
    if (job->job.results.output.format != OUTPUT_JSON &&
        (metric_choice_drop(&job->choice, METRIC_LIST, only, e) != 0 ||
         metric_choice_drop(&job->choice, METRIC_MAP, only, e) != 0))
        return -1;
    return 0;
}

int stats_settle(struct stats_job *job, struct err *e)
{
    if (leave_out_kinds(job, e) != 0)
        return err_under(e, "--compute");
    job->set.metric = metric_choice_list(&job->choice, job->job.s.a, &job->set.n);
    return 0;
}

/* ---- the order of the heads ---- */

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
