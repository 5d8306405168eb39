/* SPDX-License-Identifier: MIT
 * Statistics of texts -> one number, word or type per head. */
#include <math.h>
#include <string.h>

#include "analysis/spectral.h"
#include "session/shown/average.h"
#include "session/shown/mark.h"
#include "task/model/model.h"
#include "task/stats/stats.h"

const char *const model_view_type = "type";

struct model_view_sums {
    const struct head_id *head; /* [n_heads] */
    int n_heads;
    struct summary *summary;    /* [n_heads, metrics] */
    int64_t *n_rows;            /* [n_heads] that see a key */
    double *value;              /* [n_heads, metrics] of one text */
    struct apart *apart;        /* of --mds; NULL: not asked for */
    const struct stats_list **js;       /* [n_heads] of one text */
    int64_t n;
};

/* ---- what is asked for ---- */

static int model_numbers_find(const struct model_view_job *job, const char *option,
                              const char *name, struct model_view_key *key, struct err *e)
{
    int id;

    *key = (struct model_view_key){ .name = name, .id = -1 };
    if (name == NULL)
        return 0;
    if (job->args->table != NULL) {
        key->by = BY_COLUMN;
        return 0;
    }
    if (strcmp(name, model_view_type) == 0) {
        key->by = BY_TYPE;
        return 0;
    }
    id = metric_find(name);
    if (id >= 0 && metric_table[id].rule->counts)
        return err_set(e, ERR_USAGE, "%s: %s needs counts of tokens: expected --table with what "
                       "mha-viz stats --metric %s --tsv writes", option, name, name);
    if (id >= 0 && metric_table[id].kind != METRIC_LIST && metric_table[id].kind != METRIC_MAP) {
        key->by = BY_METRIC;
        key->id = id;
        return 0;
    }
    if (id >= 0)
        return err_set(e, ERR_USAGE, "%s: %s is not one number of a head: expected one of the "
                       "metrics of mha-viz-metrics(7) that are, or type", option, name);
    name = metric_nearest(name, metric_names);
    return err_set(e, ERR_USAGE, "%s: '%s' is neither 'type' nor a metric%s%s%s", option,
                   key->name, name != NULL ? "; did you mean '" : "",
                   name != NULL ? name : "", name != NULL ? "'?" : "");
}

/* Types by the metrics of texts need those. */
static void want_types(struct model_view_job *job)
{
    for (int k = 0; k < N_METRIC; k++)
        for (int i = 0; i < N_TYPES_TEXT; i++)
            if (metric_table[k].rule == types_metrics[i].rule)
                job->choice.wanted[k] = true;
}

static void want(struct model_view_job *job, const struct model_view_key *key)
{
    if (key->by == BY_METRIC && !metric_table[key->id].rule->between)
        job->choice.wanted[key->id] = true;
    if (key->by == BY_TYPE && job->type == NULL)
        want_types(job);
}

static bool is_between(const struct model_view_key *key)
{
    return key->by == BY_METRIC && metric_table[key->id].rule->between;
}

/* What goes by the mean over the texts of js, of which no more is needed of a text. */
static bool compares_heads(const struct model_view_job *job)
{
    return job->args->mds || is_between(&job->metric) || is_between(&job->sort);
}

int model_view_choose(struct model_view_job *job, struct err *e)
{
    const struct session *s = &job->job.s;

    if (model_numbers_find(job, "--metric", job->args->metric, &job->metric, e) != 0 ||
        model_numbers_find(job, "--sort", job->args->sort, &job->sort, e) != 0)
        return -1;
    if (s->model == NULL)
        return 0;
    if (session_averages(s, AVERAGE_HEADS | AVERAGE_LAYERS) &&
        (job->metric.by == BY_TYPE || job->sort.by == BY_TYPE || job->args->mds))
        return err_set(e, ERR_USAGE, "--average: a mean of heads or layers has no type, by which "
                       "%s", job->args->mds ? "--mds colours points" : "cells are drawn or sorted");
    if (session_averages(s, AVERAGE_HEADS) && job->args->sort != NULL)
        return err_set(e, ERR_USAGE, "--average heads, --sort: a layer has one map, and no heads "
                       "to sort");
    job->set.opts = metric_opts_default();
    want(job, &job->metric);
    want(job, &job->sort);
    job->choice.wanted[METRIC_js] = compares_heads(job);
    if (job->args->mds && job->type == NULL)
        want_types(job);
    job->set.metric = metric_choice_list(&job->choice, s->a, &job->set.n);
    job->set.progress = par_progress(s->par);
    if (job->choice.wanted[METRIC_spectral] && s->stack != STACK_CROSS &&
        session_has_weights(s))
        job->set.opts.spectral = spectral_of(s->a, s->shown, s->par, s->env->warn);
    return 0;
}

/* ---- sums ---- */

struct model_view_sums *model_view_sums_new(struct model_view_job *job, struct arena *a)
{
    struct model_view_sums *sums = arena_alloc(a, 1, sizeof *sums);
    struct summary_kind kind = { .n = 0 };

    sums->head = records_heads(&job->job.s, &job->job.want, a, &sums->n_heads);
    kind.n = sums->n_heads * job->set.n;
    sums->n_rows = arena_alloc(a, (uint64_t)sums->n_heads, sizeof *sums->n_rows);
    if (compares_heads(job)) {
        sums->apart = apart_new(a, sums->n_heads);
        sums->js = arena_alloc(a, (uint64_t)sums->n_heads, sizeof *sums->js);
    }
    if (kind.n == 0)
        return sums;
    sums->summary = summary_new(a, &kind);
    sums->value = arena_alloc(a, (uint64_t)kind.n, sizeof *sums->value);
    return sums;
}

void model_view_add(struct model_view_job *job, struct model_view_sums *sums,
                    const struct item *item, const struct stats *stats, int text)
{
    const struct session *s = &job->job.s;
    int n_queries = session_queries(s, item)->n, n_hidden;

    sums->n++;
    if (sums->summary == NULL)
        return;
    shown_hidden(s->a, item, session_query_side(s), &n_hidden);
    for (int i = 0; i < sums->n_heads; i++) {
        const struct head_stats *head = stats_head(stats, text, sums->head[i].layer,
                                                   sums->head[i].head);

        memcpy(sums->value + i * job->set.n, head->value, (size_t)job->set.n * sizeof(double));
        sums->n_rows[i] += n_queries - n_hidden - head->n_skipped;
        if (sums->apart != NULL)
            sums->js[i] = &head->list[metric_choice_place(&job->choice, METRIC_js)];
    }
    if (sums->apart != NULL)
        apart_add(sums->apart, sums->js);
    summary_add(sums->summary, item->index, sums->value);
}

/* ---- what is known of a head ---- */

/* NULL: the metrics of the texts do not say. */
static const char *found_type(const struct model_view_job *job, const double *value,
                              int64_t n_rows, struct stats_types_texts texts)
{
    const struct session *s = &job->job.s;
    bool causal = s->stack != STACK_CROSS && mark_looks_back(s->shown);
    struct types_found found;

    stats_types_found(value, n_rows, texts, causal, &found);
    return found.primary < 0 || found.label[found.primary].type == TYPE_undetermined ?
               NULL : found.label[found.primary].name;
}

bool model_view_has_types(const struct model_view_job *job)
{
    return job->metric.by == BY_TYPE || job->sort.by == BY_TYPE || job->args->mds;
}

/* count: of the texts that each of the values is the mean of. */
static const char *model_numbers_type_of(const struct model_view_job *job,
                                         const struct model_view_sums *sums, int i,
                                         const double *value, const double *count)
{
    int H = job->job.s.shown->config.n_heads;
    double n_long = count[METRIC_sink_long];

    if (!model_view_has_types(job))
        return NULL;
    if (job->type != NULL)
        return job->type[sums->head[i].layer * H + sums->head[i].head];
    return found_type(job, value, sums->n_rows[i], (struct stats_types_texts){
                          sums->n, isnan(n_long) ? 0 : (int64_t)n_long });
}

static double model_number_of(const struct model_view_key *key, const double *value)
{
    return key->by == BY_METRIC ? value[key->id] : (double)NAN;
}

static const char *word_of(const struct model_view_key *key, double number)
{
    return key->by != BY_METRIC || metric_table[key->id].kind != METRIC_WORD || isnan(number) ?
               NULL : metric_table[key->id].rule->words[(int)number];
}

/* Of head i: the means of its metrics, and of how many texts each is. */
static void means_of(const struct model_view_job *job, const struct model_view_sums *sums, int i,
                     double value[N_METRIC], double count[N_METRIC])
{
    double mean[N_METRIC], n_texts[N_METRIC];

    for (int k = 0; k < job->set.n; k++) {
        struct summary_estimate found = summary_of(sums->summary, i * job->set.n + k);

        mean[k] = found.mean;
        n_texts[k] = (double)found.n;
    }
    metric_choice_spread(&job->choice, mean, value);
    metric_choice_spread(&job->choice, n_texts, count);
}

static struct apart_mean between_heads(const struct model_view_job *job,
                                       const struct model_view_sums *sums, struct arena *a)
{
    int n_clusters = is_between(&job->metric) || is_between(&job->sort) ?
                         metric_opts_default().n_clusters : 0;

    return sums->apart == NULL ? (struct apart_mean){ .n = 0 } :
           apart_mean(sums->apart, n_clusters, a, job->set.progress);
}

static void set_place(struct model_view_head *head, const struct apart_mean *mean, int i)
{
    if (mean->place == NULL || mean->index[i] < 0)
        return;
    head->x = mean->place[2 * mean->index[i]];
    head->y = mean->place[2 * mean->index[i] + 1];
}

struct model_view_heads model_view_means(const struct model_view_job *job,
                                         const struct model_view_sums *sums, struct arena *a)
{
    struct model_view_heads heads = { sums->n_heads, NULL };
    struct apart_mean between = between_heads(job, sums, a);

    heads.head = arena_alloc(a, (uint64_t)sums->n_heads, sizeof *heads.head);
    for (int i = 0; i < sums->n_heads; i++) {
        struct model_view_head *head = &heads.head[i];
        double value[N_METRIC], count[N_METRIC];

        means_of(job, sums, i, value, count);
        value[METRIC_js_cluster] = apart_cluster(&between, i);
        *head = (struct model_view_head){
            sums->head[i].layer, sums->head[i].head, model_number_of(&job->metric, value),
            model_number_of(&job->sort, value),
            word_of(&job->metric, model_number_of(&job->metric, value)),
            model_numbers_type_of(job, sums, i, value, count), NAN, NAN
        };
        set_place(head, &between, i);
        if (job->metric.by == BY_TYPE)
            head->word = head->type;
    }
    return heads;
}
