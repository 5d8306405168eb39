/* SPDX-License-Identifier: MIT
 * Options of stats -> the metrics that are computed and shown, and the order of the heads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "task/stats/stats.h"

/* "layer": as the heads stand in the model; then the metrics that are numbers, largest first. */
#define SORT_NUMBER(name) name,
#define SORT_CLUSTER(name) name,
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

/* A metric that is a number, by the names that the budgets give. */
static int find_sort(const struct metric_choice *choice, const char *name, int *sort, struct err *e)
{
    const char *meant;

    *sort = name != NULL ? metric_choice_find(choice, name) : -1;
    if (name == NULL || strcmp(name, stats_sorts[0]) == 0 ||
        (*sort >= 0 && (metric_table[*sort].kind == METRIC_NUMBER ||
                        metric_table[*sort].kind == METRIC_CLUSTER)))
        return 0;
    meant = metric_nearest(name, stats_sorts);
    return err_set(e, ERR_USAGE, "--sort: '%s' is neither 'layer' nor a metric%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

/* "16,64": whole numbers from least on, as many as fit. */
static int stats_shown_read_numbers(const char *option, const char *list, int least, int *out,
                                    int most, int *n, struct err *e)
{
    for (*n = 0; list != NULL; (*n)++) {
        char *end;
        long value = strtol(list, &end, 10);

        if (end == list || (*end != ',' && *end != '\0') || value < least || value > 1 << 24)
            return err_set(e, ERR_USAGE, "%s: '%s': expected whole numbers from %d to %d with "
                           "commas between", option, list, least, 1 << 24);
        if (*n == most)
            return err_set(e, ERR_USAGE, "%s: expected at most %d numbers", option, most);
        out[*n] = (int)value;
        list = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

static int read_budgets(const struct stats_args *args, struct metric_opts *opts, struct err *e)
{
    int n, stream[2] = { opts->stream_first, opts->stream_last };

    if (args->budgets != NULL) {
        memset(opts->budget, 0, sizeof opts->budget);
        if (stats_shown_read_numbers("--budgets", args->budgets, 1, opts->budget, METRIC_BUDGETS,
                                     &n, e) != 0)
            return -1;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++)
                if (opts->budget[i] == opts->budget[k])
                    return err_set(e, ERR_USAGE, "--budgets: %d is there twice", opts->budget[i]);
    }
    if (stats_shown_read_numbers("--stream", args->stream, 0, stream, 2, &n, e) != 0)
        return -1;
    if (args->stream != NULL && n != 2)
        return err_set(e, ERR_USAGE, "--stream: '%s': expected two numbers, such as 4,64",
                       args->stream);
    opts->stream_first = stream[0];
    opts->stream_last = stream[1];
    return 0;
}

static int read_opts(struct stats_job *job, struct err *e)
{
    const struct stats_args *args = job->args;
    struct metric_opts *o = &job->set.opts;

    *o = metric_opts_default();
    o->entropy_eps = args->entropy_eps;
    o->n_clusters = args->clusters;
    o->prompt = args->prompt;
    o->snap_window = args->snap_window;
    return read_budgets(args, o, e);
}

/* A metric that the heads are sorted by is computed, and shown. */
int stats_choose(struct stats_job *job, struct err *e)
{
    const struct stats_args *args = job->args;

    if (read_opts(job, e) != 0)
        return -1;
    if (args->metric == NULL && !args->links)
        job->choice = metric_choice_basic();
    job->choice.names = metric_names_of(job->job.s.a, &job->set.opts);
    if (args->metric != NULL && metric_choice_add(&job->choice, args->metric, e) != 0)
        return err_under(e, "--metric");
    metric_choice_drop_unnamed(&job->choice);
    if (find_sort(&job->choice, args->sort, &job->sort, e) != 0)
        return -1;
    if (args->best > 0 && job->sort < 0)
        return err_set(e, ERR_USAGE, "--best: --sort layer is no order of the best: expected a "
                       "metric");
    if (job->sort >= 0)
        job->choice.wanted[job->sort] = job->choice.named[job->sort] = true;
    return 0;
}

/* What has a mean over texts; what compares heads is of the mean of their distances. */
static int leave_out_of_many(struct stats_job *job, struct err *e)
{
    static const char numbers[] = "--summary is of numbers";
    struct metric_choice *c = &job->choice;

    job->between = metric_choice_take_between(c);
    return metric_choice_drop(c, METRIC_LIST, numbers, e) != 0 ||
           metric_choice_drop(c, METRIC_WORD, numbers, e) != 0 ||
           metric_choice_drop(c, METRIC_MAP, numbers, e) != 0 ? -1 : 0;
}

/* Lists and matrices are in JSON; those of a whole text are of all of its rows. */
static int leave_out_kinds(struct stats_job *job, struct err *e)
{
    static const char only[] = "only --json prints it";
    const struct wanted *want = &job->job.want;
    enum output_format format = job->job.results.output.format;

    if (job->job.of_many && leave_out_of_many(job, e) != 0)
        return -1;
    if ((want->layer != NULL || want->head != NULL) &&
        metric_choice_drop(&job->choice, METRIC_MAP, "it is of all layers and heads", e) != 0)
        return -1;
    if (format != OUTPUT_JSON && format != OUTPUT_SUMS && !stats_shows_keys(job) &&
        (metric_choice_drop(&job->choice, METRIC_LIST, only, e) != 0 ||
         metric_choice_drop(&job->between, METRIC_LIST, only, e) != 0 ||
         metric_choice_drop(&job->choice, METRIC_MAP, only, e) != 0))
        return -1;
    return 0;
}

/* Heads are compared by the mean of js, so that of a text js is all that is needed. */
static void add_js(struct stats_job *job)
{
    struct metric *list = arena_alloc(job->job.s.a, (uint64_t)job->set.n + 1, sizeof *list);

    memcpy(list, job->set.metric, (size_t)job->set.n * sizeof *list);
    list[job->set.n++] = metric_table[METRIC_js];
    job->set.metric = list;
    job->set.opts.n_clusters = 0;
}

int stats_settle(struct stats_job *job, struct err *e)
{
    if (leave_out_kinds(job, e) != 0)
        return err_under(e, "--metric");
    job->set.metric = metric_choice_list(&job->choice, job->job.s.a, &job->set.n);
    if (metric_choice_any(&job->between))
        add_js(job);
    return 0;
}

/* ---- the order of the heads ---- */

const struct stats_rank *stats_sort(const struct stats_job *job, struct arena *a,
                                    const struct head_id *id, const double *key, int n)
{
    const int *place = sort_places(a, key, n, job->args->reverse);
    struct stats_rank *rank = arena_alloc(a, (size_t)n, sizeof *rank);

    for (int i = 0; i < n; i++)
        rank[i] = (struct stats_rank){ id[place[i]], place[i] };
    return rank;
}

/*
 * Columns are those of the metrics that are computed; a table has the basic ones and those
 * that were named, for a screen is not wide enough for all.
 */
const struct record *stats_without_metrics(const struct stats_job *job, const struct record *record)
{
    struct arena *a = job->job.s.a;
    const char **absent = arena_alloc(a, N_METRIC + 1, sizeof *absent);
    const char **narrow = arena_alloc(a, N_METRIC + 1, sizeof *narrow);
    const char **from = arena_alloc(a, N_METRIC, sizeof *from);
    const char **to = arena_alloc(a, N_METRIC, sizeof *to);
    int n_absent = 0, n_narrow = 0, n_renamed = 0;

    for (int i = 0; i < N_METRIC; i++)
        if (!job->choice.wanted[i] && !job->between.wanted[i])
            absent[n_absent++] = metric_table[i].name;
        else if (metric_table[i].group != METRIC_BASIC && !job->choice.named[i] &&
                 !job->between.named[i])
            narrow[n_narrow++] = metric_table[i].name;
    record = record_without(a, record_without(a, record, IN_ALL, absent), IN_TABLE, narrow);
    for (int i = 0; i < N_METRIC; i++)
        if (job->choice.wanted[i] && strcmp(metric_names[i], job->choice.names[i]) != 0) {
            from[n_renamed] = metric_names[i];
            to[n_renamed++] = job->choice.names[i];
        }
    return n_renamed > 0 ? record_renamed(a, record, from, to, n_renamed) : record;
}
