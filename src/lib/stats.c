/* SPDX-License-Identifier: MIT
 * A text -> the metrics of each head. */
#include <stdlib.h>
#include <string.h>

#include "analysis/choice.h"
#include "analysis/spectral.h"
#include "analysis/stats.h"
#include "lib/lib.h"
#include "session/texts.h"

struct mhaviz_stats {
    struct arena arena;
    int n;
    struct mhaviz_head *head;       /* [n] */
    double *value[N_METRIC];        /* [n] each; NULL: it was not asked for */
};

struct counting {
    struct mhaviz_model *model;
    const struct mhaviz_text *text;
    struct mhaviz_selection selection;
    struct metric_choice choice;
    struct mhaviz_stats *out;
};

static void add_head(struct mhaviz_stats *out, const struct metric_choice *choice,
                     const struct head_stats *head)
{
    double value[N_METRIC];

    metric_choice_spread(choice, head->value, value);
    out->head[out->n] = (struct mhaviz_head){ (enum mhaviz_stack)head->stack, head->layer,
                                              head->head };
    for (int i = 0; i < N_METRIC; i++)
        if (choice->wanted[i])
            out->value[i][out->n] = value[i];
    out->n++;
}

/* Every head that the pass saw, layer by layer. */
static void lib_stats_keep(struct mhaviz_stats *out, const struct metric_choice *choice,
                           const struct stats *stats, int n_layers, int n_heads)
{
    size_t most = (size_t)n_layers * (size_t)n_heads;

    out->head = arena_alloc(&out->arena, most, sizeof *out->head);
    for (int i = 0; i < N_METRIC; i++)
        if (choice->wanted[i])
            out->value[i] = arena_alloc(&out->arena, most, sizeof *out->value[i]);
    for (int layer = 0; layer < n_layers; layer++)
        for (int h = 0; h < n_heads; h++) {
            const struct head_stats *head = stats_head(stats, 0, layer, h);

            if (head != NULL)
                add_head(out, choice, head);
        }
}

static int lib_stats_count(void *self, struct border *border, struct err *e)
{
    const struct counting *job = self;
    struct arena *a = &border->call;
    struct metric_set set = { .n = 0, .opts = metric_opts_default(),
                              .progress = &border->progress };
    struct sink sinks[STATS_SINKS];
    struct attended attended;
    struct texts texts;
    struct stats *stats;
    struct call call;
    int n;

    border_arena(border, &job->out->arena);
    if (call_begin(&call, border, job->model, job->text, &job->selection, false, e) != 0)
        return -1;
    texts_pack(&texts, a, call.item, 1);
    set.metric = metric_choice_list(&job->choice, a, &set.n);
    if (job->choice.wanted[METRIC_spectral] && call.session.stack != STACK_CROSS)
        set.opts.spectral = spectral_of(a, call.session.shown, call.session.par,
                                        call.session.env->warn);
    attended = session_attended(&call.session, &texts, a);
    stats = stats_new(a, call.session.shown, &attended, &call.want, &set);
    n = stats_sinks(stats, sinks);
    call.want.tap = stats_tap(stats);
    if (session_forward(&call.session, &texts, &call.want, sinks, n, a, e) != 0)
        return -1;
    lib_stats_keep(job->out, &job->choice, stats, call.session.n_layers, call.session.n_heads);
    return 0;
}

static int choose_numbers(struct metric_choice *choice, const char *metrics, struct err *e)
{
    static const char why[] = "only numbers are given here";

    *choice = (struct metric_choice){ 0 };
    if (metric_choice_add(choice, metrics, e) != 0 ||
        metric_choice_drop(choice, METRIC_LIST, why, e) != 0 ||
        metric_choice_drop(choice, METRIC_WORD, why, e) != 0 ||
        metric_choice_drop(choice, METRIC_MAP, why, e) != 0)
        return -1;
    return 0;
}

enum mhaviz_status mhaviz_stats_open(struct mhaviz_model *model,
                                     const struct mhaviz_text *text,
                                     const struct mhaviz_selection *selection,
                                     struct mhaviz_stats **out, struct mhaviz_error *error)
{
    struct counting job = { .model = model, .text = text, .choice = metric_choice_basic() };
    enum mhaviz_status status;
    struct err e;

    if (out == NULL)
        return border_missing(error, "out");
    *out = NULL;
    if (model == NULL || text == NULL)
        return border_closed(error, model == NULL ? "model" : "text");
    if (sized_take_selection(&job.selection, selection, &e) != 0 ||
        (job.selection.metrics != NULL &&
         choose_numbers(&job.choice, job.selection.metrics, &e) != 0))
        return border_say(error, MHAVIZ_USAGE, e.msg);
    job.out = calloc(1, sizeof *job.out);
    if (job.out == NULL)
        return border_say(error, MHAVIZ_SYSTEM, "out of memory");
    status = border_run(lib_stats_count, &job, error);
    if (status == MHAVIZ_OK)
        *out = job.out;
    else
        mhaviz_stats_close(&job.out);
    return status;
}

void mhaviz_stats_close(struct mhaviz_stats **stats)
{
    if (stats == NULL || *stats == NULL)
        return;
    arena_finish(&(*stats)->arena);
    free(*stats);
    *stats = NULL;
}

enum mhaviz_status mhaviz_stats_heads(const struct mhaviz_stats *stats,
                                      const struct mhaviz_head **heads, int *n,
                                      struct mhaviz_error *error)
{
    if (stats == NULL)
        return border_closed(error, "stats");
    if (heads == NULL || n == NULL)
        return border_missing(error, heads == NULL ? "heads" : "n");
    *heads = stats->head;
    *n = stats->n;
    return border_say(error, MHAVIZ_OK, "");
}

/* Those that are numbers. */
const char *mhaviz_metric(int i)
{
    for (int k = 0; k < N_METRIC && i >= 0; k++)
        if ((metric_table[k].kind == METRIC_NUMBER || metric_table[k].kind == METRIC_CLUSTER) &&
            i-- == 0)
            return metric_names[k];
    return NULL;
}

enum mhaviz_status mhaviz_stats_metric(const struct mhaviz_stats *stats, const char *metric,
                                       const double **values, int *n,
                                       struct mhaviz_error *error)
{
    struct err e;
    int i;

    if (stats == NULL)
        return border_closed(error, "stats");
    if (metric == NULL || values == NULL || n == NULL)
        return border_missing(error, metric == NULL ? "metric" : values == NULL ? "values" :
                                                                                  "n");
    i = metric_find(metric);
    if (i >= 0 && stats->value[i] != NULL) {
        *values = stats->value[i];
        *n = stats->n;
        return border_say(error, MHAVIZ_OK, "");
    }
    err_set(&e, ERR_USAGE, "'%s' is not a metric that was computed", metric);
    return border_say(error, MHAVIZ_USAGE, e.msg);
}
