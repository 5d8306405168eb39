/* SPDX-License-Identifier: MIT
 * Statistics of heads in a pass -> points of curves: means over the heads of a line, then over
 * texts. */
#include <math.h>
#include <string.h>

#include "analysis/spectral.h"
#include "session/shown/average.h"
#include "task/curve/curve.h"

/* ---- the metric ---- */

const char *const curve_overs[] = { "layer", "position", "distance", "step", "model", NULL };

static const char *const metric_of[] = { "entropy", "entropy", "profile", "entropy", "entropy" };

static bool is_of_rows(const struct curve_job *job)
{
    return job->args->over == OVER_POSITION || job->args->over == OVER_STEP;
}

static bool curve_values_fits(const struct curve_job *job, const struct metric *metric)
{
    if (is_of_rows(job))
        return metric->rule->row != NULL;
    return job->args->over == OVER_DISTANCE ?
               metric->rule == &metric_profile || metric->rule == &metric_profile_lift :
               metric->kind == METRIC_NUMBER && metric->group != METRIC_NAMED;
}

static int no_metric(const char *name, struct err *e)
{
    const char *meant = metric_nearest(name, metric_names);

    return err_set(e, ERR_USAGE, "--metric: '%s' is not a metric%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

int curve_choose(struct curve_job *job, struct err *e)
{
    static const char *const expected[] = {
        "one number of each head", "a mean over rows, such as entropy, max_mean or prev",
        "profile or profile_lift", "a mean over rows, such as entropy, max_mean or prev",
        "one number of each head",
    };
    const char *name = job->args->metric != NULL ? job->args->metric : metric_of[job->args->over];
    int id = metric_find(name);
    struct metric *metric = arena_alloc(job->job.s.a, 1, sizeof *metric);

    if (id < 0)
        return no_metric(name, e);
    *metric = metric_table[id];
    if (!curve_values_fits(job, metric))
        return err_set(e, ERR_USAGE, "--metric %s: expected %s", name,
                       expected[job->args->over]);
    if (metric->rule->counts)
        return err_set(e, ERR_USAGE, "--metric %s: it needs counts of tokens, which only "
                       "mha-viz stats takes", name);
    job->metric = (enum metric_id)id;
    job->set.opts = metric_opts_default();
    if (is_of_rows(job)) {
        job->set.opts.by_row = metric->rule;
        metric->rule = &metric_rows;
        metric->kind = METRIC_LIST;
    }
    job->set.metric = metric;
    job->set.n = 1;
    job->set.progress = par_progress(job->job.s.par);
    return 0;
}

/* ---- lines ---- */

static int count_layers(const struct curve_job *job)
{
    int n = 0;

    for (int i = 0; i < job->n_heads; i++)
        n += i == 0 || job->head[i].layer != job->head[i - 1].layer;
    return n;
}

static enum curve_each each_of(const struct curve_job *job)
{
    if (job->args->each != EACH_AUTO)
        return (enum curve_each)job->args->each;
    if (job->args->over == OVER_LAYER)
        return EACH_MEAN;
    return job->n_heads <= 24 || count_layers(job) == 1 ? EACH_HEAD : EACH_LAYER;
}

const char *curve_head_name(const struct curve_job *job, struct arena *a, struct head_id id)
{
    id = records_head(&job->job.s, id);
    return records_head_name(a, &id);
}

static const char *curve_values_name_of(const struct curve_job *job, struct head_id id)
{
    struct arena *a = job->job.s.a;

    if (job->each == EACH_MEAN)
        return session_averages(&job->job.s, AVERAGE_HEADS) ? "mean of heads" : "all heads";
    id = records_head(&job->job.s, id);
    if (job->each == EACH_LAYER)
        id.head = -1;
    else if (job->args->over == OVER_LAYER)
        id.layer = -1;
    return records_head_name(a, &id);
}

/* By its name: the heads of one name are of one line. */
static void curve_values_add_line(struct curve_job *job, int i)
{
    const char *name = curve_values_name_of(job, job->head[i]);
    int line = 0;

    while (line < job->n_lines && strcmp(job->name[line], name) != 0)
        line++;
    job->name[line] = name;
    job->line[i] = line;
    job->n_lines += line == job->n_lines;
}

void curve_open(struct curve_job *job)
{
    const struct session *s = &job->job.s;

    job->head = records_heads(s, &job->job.want, s->a, &job->n_heads);
    job->each = each_of(job);
    job->line = arena_alloc(s->a, (uint64_t)job->n_heads, sizeof *job->line);
    job->name = arena_alloc(s->a, (uint64_t)job->n_heads, sizeof *job->name);
    for (int i = 0; i < job->n_heads; i++)
        curve_values_add_line(job, i);
    job->sums.a = arena_child(s->a);      /* outlives the texts that it grows with */
    job->sums.kind = (struct summary_kind){ .n = job->n_lines,
                                            .n_replicates = job->args->bootstrap };
    if (job->args->over == OVER_LAYER && job->each == EACH_MEAN && job->args->models.n < 2 &&
        !session_averages(s, AVERAGE_HEADS))
        job->heads = summary_new(s->a, &(struct summary_kind){ .n = job->n_heads });
    if (job->metric == METRIC_spectral && s->stack != STACK_CROSS &&
        session_has_weights(s))
        job->set.opts.spectral = spectral_of(s->a, s->shown, s->par, s->env->warn);
}

/* ---- a text ---- */

/* Of a text: sums over the heads of each line. */
struct found {
    struct curve_job *j;
    int n, room;                /* places */
    double *sum;                /* [room, lines] */
    int *count;                 /* the same */
};

static void curve_values_put(struct found *found, int place, int line, double value)
{
    size_t at = (size_t)place * (size_t)found->j->n_lines + (size_t)line;

    if (isnan(value) || place < 0 || place >= found->room)
        return;
    found->sum[at] += value;
    found->count[at]++;
    found->n = place >= found->n ? place + 1 : found->n;
}

static void put_head(struct found *found, int i, const struct head_stats *head, int first)
{
    const struct curve_job *j = found->j;
    const struct stats_list *list = &head->list[0];

    if (j->args->over == OVER_LAYER)
        curve_values_put(found, head->layer, j->line[i], head->value[0]);
    else if (j->args->over == OVER_MODEL)
        curve_values_put(found, 0, j->line[i], head->value[0]);
    else
        for (int k = 0; list->v != NULL && k < list->n; k++)
            curve_values_put(found, k - first, j->line[i], list->v[k]);
}

static struct summary *sums_at(struct curve_sums *sums, int place)
{
    if (place >= sums->room) {
        int room = 2 * place + 16;
        struct summary **grown = arena_alloc(sums->a, (uint64_t)room, sizeof(struct summary *));

        for (int i = 0; i < sums->n; i++)
            grown[i] = sums->at[i];
        sums->at = grown;
        sums->room = room;
    }
    for (; sums->n <= place; sums->n++)
        sums->at[sums->n] = summary_new(sums->a, &sums->kind);
    return sums->at[place];
}

static void add_places(struct found *found, int64_t text, struct arena *a)
{
    struct curve_job *j = found->j;
    double *value = arena_alloc(a, (uint64_t)j->n_lines, sizeof *value);

    for (int place = 0; place < found->n; place++) {
        for (int line = 0; line < j->n_lines; line++) {
            size_t at = (size_t)place * (size_t)j->n_lines + (size_t)line;

            value[line] = found->count[at] > 0 ? found->sum[at] / found->count[at] : (double)NAN;
        }
        summary_add(sums_at(&j->sums, place), text, value);
    }
}

static void curve_values_add_heads(struct curve_job *job, const struct stats *stats, int text,
                                   int64_t index, struct arena *a)
{
    double *value = arena_alloc(a, (uint64_t)job->n_heads, sizeof *value);

    for (int i = 0; i < job->n_heads; i++)
        value[i] = stats_head(stats, text, job->head[i].layer, job->head[i].head)->value[0];
    summary_add(job->heads, index, value);
}

void curve_add(struct curve_job *job, struct arena *a, const struct item *item,
               const struct stats *stats, int text)
{
    int n_queries = session_queries(&job->job.s, item)->n,
        n_keys = session_keys(&job->job.s, item)->n;
    int first = job->args->over == OVER_STEP ? n_queries - item->n_generated : 0;
    int longest = n_queries > n_keys ? n_queries : n_keys;
    struct found f = { .j = job };

    f.room = job->args->over == OVER_LAYER ? job->job.s.shown->config.n_layers :
             job->args->over == OVER_MODEL ? 1 : longest;
    f.sum = arena_alloc(a, (uint64_t)f.room, (uint64_t)job->n_lines * sizeof *f.sum);
    f.count = arena_alloc(a, (uint64_t)f.room, (uint64_t)job->n_lines * sizeof *f.count);
    for (int i = 0; i < job->n_heads; i++)
        put_head(&f, i, stats_head(stats, text, job->head[i].layer, job->head[i].head), first);
    add_places(&f, item->index, a);
    if (job->heads != NULL)
        curve_values_add_heads(job, stats, text, item->index, a);
    job->n_texts++;
}

void curve_interval(const struct curve_job *job, const struct summary_estimate *found, double *low,
                    double *high)
{
    bool boot = job->args->bootstrap > 0;

    if (found->n < CURVE_LEAST_TEXTS)
        return;
    *low = boot ? found->boot_low : found->low;
    *high = boot ? found->boot_high : found->high;
}
