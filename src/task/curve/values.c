/* SPDX-License-Identifier: MIT
 * Statistics of heads in a pass -> points of curves: means over the heads of a line, then over
 * texts. */
#include <math.h>
#include <string.h>

#include "analysis/spectral.h"
#include "session/average.h"
#include "task/curve/curve.h"

/* ---- the metric ---- */

const char *const curve_overs[] = { "layer", "position", "distance", "step", "model", NULL };

static const char *const metric_of[] = { "entropy", "entropy", "profile", "entropy", "entropy" };

static bool is_of_rows(const struct curve_job *j)
{
    return j->args->over == OVER_POSITION || j->args->over == OVER_STEP;
}

static bool curve_values_fits(const struct curve_job *j, const struct metric *m)
{
    if (is_of_rows(j))
        return m->rule->row != NULL;
    return j->args->over == OVER_DISTANCE ?
               m->rule == &metric_profile || m->rule == &metric_profile_lift :
               m->kind == METRIC_NUMBER && m->group != METRIC_NAMED;
}

static int no_metric(const char *name, struct err *e)
{
    const char *meant = metric_nearest(name, metric_names);

    return err_set(e, ERR_USAGE, "--metric: '%s' is not a metric%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

int curve_choose(struct curve_job *j, struct err *e)
{
    static const char *const expected[] = {
        "one number of each head", "a mean over rows, such as entropy, max_mean or prev",
        "profile or profile_lift", "a mean over rows, such as entropy, max_mean or prev",
        "one number of each head",
    };
    const char *name = j->args->metric != NULL ? j->args->metric : metric_of[j->args->over];
    int id = metric_find(name);
    struct metric *metric = arena_alloc(j->job.s.a, 1, sizeof *metric);

    if (id < 0)
        return no_metric(name, e);
    *metric = metric_table[id];
    if (!curve_values_fits(j, metric))
        return err_set(e, ERR_USAGE, "--metric %s: expected %s", name,
                       expected[j->args->over]);
    if (metric->rule->counts)
        return err_set(e, ERR_USAGE, "--metric %s: it needs counts of tokens, which only "
                       "mha-viz stats takes", name);
    j->metric = (enum metric_id)id;
    j->set.opts = metric_opts_default();
    if (is_of_rows(j)) {
        j->set.opts.by_row = metric->rule;
        metric->rule = &metric_rows;
        metric->kind = METRIC_LIST;
    }
    j->set.metric = metric;
    j->set.n = 1;
    j->set.progress = par_progress(j->job.s.par);
    return 0;
}

/* ---- lines ---- */

static int count_layers(const struct curve_job *j)
{
    int n = 0;

    for (int i = 0; i < j->n_heads; i++)
        n += i == 0 || j->head[i].layer != j->head[i - 1].layer;
    return n;
}

static enum curve_each each_of(const struct curve_job *j)
{
    if (j->args->each != EACH_AUTO)
        return (enum curve_each)j->args->each;
    if (j->args->over == OVER_LAYER)
        return EACH_MEAN;
    return j->n_heads <= 24 || count_layers(j) == 1 ? EACH_HEAD : EACH_LAYER;
}

const char *curve_head_name(const struct curve_job *j, struct arena *a, struct head_id id)
{
    id = records_head(&j->job.s, id);
    return records_head_name(a, &id);
}

static const char *curve_values_name_of(const struct curve_job *j, struct head_id id)
{
    struct arena *a = j->job.s.a;

    if (j->each == EACH_MEAN)
        return session_averages(&j->job.s, AVERAGE_HEADS) ? "mean of heads" : "all heads";
    id = records_head(&j->job.s, id);
    if (j->each == EACH_LAYER)
        id.head = -1;
    else if (j->args->over == OVER_LAYER)
        id.layer = -1;
    return records_head_name(a, &id);
}

/* By its name: the heads of one name are of one line. */
static void curve_values_add_line(struct curve_job *j, int i)
{
    const char *name = curve_values_name_of(j, j->head[i]);
    int line = 0;

    while (line < j->n_lines && strcmp(j->name[line], name) != 0)
        line++;
    j->name[line] = name;
    j->line[i] = line;
    j->n_lines += line == j->n_lines;
}

void curve_open(struct curve_job *j)
{
    const struct session *s = &j->job.s;

    j->head = records_heads(s, &j->job.want, s->a, &j->n_heads);
    j->each = each_of(j);
    j->line = arena_alloc(s->a, (uint64_t)j->n_heads, sizeof *j->line);
    j->name = arena_alloc(s->a, (uint64_t)j->n_heads, sizeof *j->name);
    for (int i = 0; i < j->n_heads; i++)
        curve_values_add_line(j, i);
    j->sums.a = arena_child(s->a);      /* outlives the texts that it grows with */
    j->sums.kind = (struct summary_kind){ .n = j->n_lines,
                                          .n_replicates = j->args->bootstrap };
    if (j->args->over == OVER_LAYER && j->each == EACH_MEAN && j->args->models.n < 2)
        j->heads = summary_new(s->a, &(struct summary_kind){ .n = j->n_heads });
    if (j->metric == METRIC_spectral && s->stack != STACK_CROSS &&
        session_has_weights(s))
        j->set.opts.spectral = spectral_of(s->a, s->shown, s->par, s->env->warn);
}

/* ---- a text ---- */

/* Of a text: sums over the heads of each line. */
struct found {
    struct curve_job *j;
    int n, room;                /* places */
    double *sum;                /* [room, lines] */
    int *count;                 /* the same */
};

static void curve_values_put(struct found *f, int place, int line, double value)
{
    size_t at = (size_t)place * (size_t)f->j->n_lines + (size_t)line;

    if (isnan(value) || place < 0 || place >= f->room)
        return;
    f->sum[at] += value;
    f->count[at]++;
    f->n = place >= f->n ? place + 1 : f->n;
}

static void put_head(struct found *f, int i, const struct head_stats *head, int first)
{
    const struct curve_job *j = f->j;
    const struct stats_list *list = &head->list[0];

    if (j->args->over == OVER_LAYER)
        curve_values_put(f, head->layer, j->line[i], head->value[0]);
    else if (j->args->over == OVER_MODEL)
        curve_values_put(f, 0, j->line[i], head->value[0]);
    else
        for (int k = 0; list->v != NULL && k < list->n; k++)
            curve_values_put(f, k - first, j->line[i], list->v[k]);
}

static struct summary *sums_at(struct curve_sums *s, int place)
{
    if (place >= s->room) {
        int room = 2 * place + 16;
        struct summary **grown = arena_alloc(s->a, (uint64_t)room, sizeof(struct summary *));

        for (int i = 0; i < s->n; i++)
            grown[i] = s->at[i];
        s->at = grown;
        s->room = room;
    }
    for (; s->n <= place; s->n++)
        s->at[s->n] = summary_new(s->a, &s->kind);
    return s->at[place];
}

static void add_places(struct found *f, int64_t text, struct arena *a)
{
    struct curve_job *j = f->j;
    double *value = arena_alloc(a, (uint64_t)j->n_lines, sizeof *value);

    for (int place = 0; place < f->n; place++) {
        for (int line = 0; line < j->n_lines; line++) {
            size_t at = (size_t)place * (size_t)j->n_lines + (size_t)line;

            value[line] = f->count[at] > 0 ? f->sum[at] / f->count[at] : (double)NAN;
        }
        summary_add(sums_at(&j->sums, place), text, value);
    }
}

static void curve_values_add_heads(struct curve_job *j, const struct stats *stats, int text,
                                   int64_t index, struct arena *a)
{
    double *value = arena_alloc(a, (uint64_t)j->n_heads, sizeof *value);

    for (int i = 0; i < j->n_heads; i++)
        value[i] = stats_head(stats, text, j->head[i].layer, j->head[i].head)->value[0];
    summary_add(j->heads, index, value);
}

void curve_add(struct curve_job *j, struct arena *a, const struct item *item,
               const struct stats *stats, int text)
{
    int n_queries = session_queries(&j->job.s, item)->n, n_keys = session_keys(&j->job.s, item)->n;
    int first = j->args->over == OVER_STEP ? n_queries - item->n_generated : 0;
    int longest = n_queries > n_keys ? n_queries : n_keys;
    struct found f = { .j = j };

    f.room = j->args->over == OVER_LAYER ? j->job.s.shown->config.n_layers :
             j->args->over == OVER_MODEL ? 1 : longest;
    f.sum = arena_alloc(a, (uint64_t)f.room, (uint64_t)j->n_lines * sizeof *f.sum);
    f.count = arena_alloc(a, (uint64_t)f.room, (uint64_t)j->n_lines * sizeof *f.count);
    for (int i = 0; i < j->n_heads; i++)
        put_head(&f, i, stats_head(stats, text, j->head[i].layer, j->head[i].head), first);
    add_places(&f, item->index, a);
    if (j->heads != NULL)
        curve_values_add_heads(j, stats, text, item->index, a);
    j->n_texts++;
}

void curve_interval(const struct curve_job *j, const struct summary_estimate *found, double *low,
                    double *high)
{
    bool boot = j->args->bootstrap > 0;

    if (found->n < CURVE_LEAST_TEXTS)
        return;
    *low = boot ? found->boot_low : found->low;
    *high = boot ? found->boot_high : found->high;
}
