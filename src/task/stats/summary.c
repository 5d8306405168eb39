/* SPDX-License-Identifier: MIT
 * Statistics of many texts -> the mean of each metric of each head, by groups of texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/contrast.h"
#include "base/str.h"
#include "session/shown/average.h"
#include "task/stats/stats.h"

enum { MOST_GROUPS = 100 };

/* ---- records ---- */

/* A metric of a head, in one group. */
struct number {
    struct summary_estimate mean;
    struct contrast contrast;   /* with the first group */
};

#define F(f) offsetof(struct number, contrast.f)
#define NUMBER(id, measure, title) \
    static const struct column id##_columns[] = { \
        ESTIMATE_COLUMNS(title, measure, "%.3f", IN_TABLE), \
        { "difference", "mean - that of the first group", measure, "- first", "%+.3f", \
          COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .optional = true, \
          .field = F(difference) }, \
        { "difference_low", "lower end of the difference's 95 % interval (Welch)", measure, \
          .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, \
          .optional = true, .field = F(low) }, \
        { "difference_high", "its upper end", measure, .kind = COLUMN_REAL, \
          .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, \
          .field = F(high) }, \
        { "p", "probability of so large a difference by chance: exact for up to 20 texts in " \
          "both groups, else Welch's", NULL, "p", "%.3f", COLUMN_REAL, \
          .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(p) }, \
        { "q", "least rate of false discoveries, over the heads, at which it is one", NULL, \
          "q", "%.3f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .optional = true, \
          .field = F(q) }, \
    }; \
    static const struct record id##_number = { \
        .help = "a number over many texts", .size = sizeof(struct number), \
        RECORD_COLUMNS(id##_columns), \
    };
#define OF_LIST(...)
#define OF_WORD(...)
#define OF_CLUSTER(...)
#define OF_MAP(...)
#define OF_NUMBER(id, called, title, measure, about) NUMBER(id, measure, title)
#define METRIC(id, called, title, measure, kind, one_axis, group, about) \
    OF_##kind(id, called, title, measure, about)
#include "analysis/metrics.def"
#undef OF_NUMBER
#undef NUMBER
#undef F

struct head_row {
    struct head_id id;
    const struct number *value[N_METRIC];       /* NULL: not computed */
    struct list js, mds;        /* of doubles */
    double cluster;             /* NaN: undefined */
    struct list types;
    const char *labels;         /* the same, with commas between */
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_OR_MEAN_COLUMNS,
#define OF_NUMBER(id, called, title, measure, about) \
    { .name = called, .help = about, .kind = COLUMN_RECORD, .where = IN_ALL, \
      .optional = true, .of = &id##_number, \
      .field = F(value) + METRIC_##id * sizeof(struct number *) },
#include "analysis/metrics.def"
#undef METRIC
#undef OF_NUMBER
#undef OF_LIST
#undef OF_WORD
#undef OF_CLUSTER
#undef OF_MAP
    { "js", "Jensen-Shannon divergence from each of the heads shown, mean over the texts",
      .unit = "nats", .kind = COLUMN_REAL, .list = true, .where = IN_JSON, .null = NULL_SHOWN,
      .null_items = true, .optional = true, .field = F(js) },
    { "mds", "place in the plane by the square roots of that mean: classical scaling",
      .kind = COLUMN_REAL, .list = true, .where = IN_JSON, .null = NULL_SHOWN, .optional = true,
      .field = F(mds) },
    { "js_cluster", "cluster by the same, from 0: average linkage", .heading = "js_cluster",
      .format = "%.0f", .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(cluster) },
    { "types", "labels of mha-viz-types(1) that hold by these means, without probes",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .field = F(types) },
    { "types", "labels of mha-viz-types(1) that hold by these means, without probes",
      .kind = COLUMN_TEXT, .where = IN_TSV, .field = F(labels) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct alike_row {
    const char *metric;
    struct summary_reliability of;
};

#define F(f) offsetof(struct alike_row, f)
static const struct column alike_columns[] = {
    { "metric", "name of the metric", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON,
      .field = F(metric) },
    { "r", "correlation, over the heads, of the means of two halves of the texts: median over "
      "100 splits", NULL, NULL, "%.3f", COLUMN_REAL, .where = IN_TABLE | IN_JSON,
      .null = NULL_SHOWN, .field = F(of.r) },
    { "low", "its quantile 0.05 over the splits", NULL, "5 %", "%.3f", COLUMN_REAL,
      .where = IN_TABLE | IN_JSON, .null = NULL_SHOWN, .field = F(of.low) },
    { "high", "its quantile 0.95", NULL, "95 %", "%.3f", COLUMN_REAL,
      .where = IN_TABLE | IN_JSON, .null = NULL_SHOWN, .field = F(of.high) },
    { "whole", "what r comes to for all texts: 2 r / (1 + r)", NULL, "all texts", "%.3f",
      COLUMN_REAL, .where = IN_TABLE | IN_JSON, .null = NULL_SHOWN, .field = F(of.whole) },
};
#undef F

static const struct record alike_record = {
    .help = "how alike two halves of the texts are", .size = sizeof(struct alike_row),
    RECORD_COLUMNS(alike_columns),
};

/* Of one metric, between two models. */
struct score_row {
    const char *metric;
    double r;
};

#define F(f) offsetof(struct score_row, f)
static const struct column score_columns[] = {
    { "metric", "name of the metric", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON,
      .field = F(metric) },
    { "r", "correlation, over the heads, of their means with those of the first model", NULL,
      NULL, "%.3f", COLUMN_REAL, .where = IN_TABLE | IN_JSON, .null = NULL_SHOWN,
      .field = F(r) },
};
#undef F

static const struct record score_record = {
    .help = "how alike the heads of two models are", .size = sizeof(struct score_row),
    RECORD_COLUMNS(score_columns),
};

struct summary_row {
    const char *model, *family, *by, *group;
    int64_t n, n_bad;
    struct records_shown shown;
    struct list reliability, score_r, heads;
};

#define F(f) offsetof(struct summary_row, f)
static const struct column summary_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    { "model", "with several --model: name of the model, or its path where two have one name",
      .kind = COLUMN_TEXT, .where = IN_TSV, .optional = true, .field = F(model) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(family) },
    { "by", "key of --by", .kind = COLUMN_TEXT, .where = IN_JSON, .optional = true,
      .field = F(by) },
    { "group", "its value in the texts of this summary", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .optional = true, .field = F(group) },
    { "n_texts", "number of the texts", "texts", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n) },
    { "n_unusable", "number of the texts that could not be used, in no group", "texts",
      .kind = COLUMN_LONG, .where = IN_JSON, .field = F(n_bad) },
    SHOWN_OPTION_COLUMNS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "reliability", "one object per metric", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .optional = true, .of = &alike_record, .field = F(reliability) },
    { "score_r", "of all models but the first: one object per metric", .kind = COLUMN_RECORD,
      .list = true, .where = IN_JSON, .optional = true, .null = NULL_ABSENT,
      .of = &score_record, .field = F(score_r) },
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

const struct record stats_summary_record = {
    .schema = "mha-viz/stats-summary/1", .help = "what each head does with many texts",
    .size = sizeof(struct summary_row), RECORD_COLUMNS(summary_columns),
};

/* record without what was not asked for; a table of many metrics has their means alone. */
static const struct record *without(const struct stats_job *job, const struct record *record)
{
    static const char *const by[] = { "by", "group", "difference", "difference_low",
                                      "difference_high", "p", "q", NULL };
    static const char *const reliability[] = { "reliability", NULL };
    static const char *const wide[] = { "interval", "difference", "q", NULL };
    struct arena *a = job->job.s.a;

    static const char *const models[] = { "score_r", NULL };
    static const char *const named[] = { "model", NULL };

    record = stats_without_metrics(job, record);
    if (!job->of_models)
        record = record_without(a, record_without(a, record, IN_ALL, models), IN_TSV, named);
    if (job->args->bootstrap == 0)
        record = records_without_bootstrap(a, record);
    if (job->args->shared.asked.by == NULL)
        record = record_without(a, record, IN_ALL, by);
    if (!job->args->reliability)
        record = record_without(a, record, IN_ALL, reliability);
    return metric_choice_shown(&job->choice) > 3 ? record_without(a, record, IN_TABLE, wide) :
           record;
}

/* ---- groups ---- */

void stats_summary_open(struct stats_job *job, const struct head_id *head, int n)
{
    struct stats_summary *s = arena_alloc(job->job.s.a, 1, sizeof *s);
    bool *replicated, compares = metric_choice_any(&job->between);

    *s = (struct stats_summary){ .a = job->job.s.a, .head = head, .n_heads = n,
                                 .n_metrics = job->set.n - compares };
    s->kept = arena_child(s->a);
    replicated = arena_alloc(s->a, (uint64_t)n * (uint64_t)s->n_metrics, 1);
    for (int i = 0; i < n * s->n_metrics; i++)
        replicated[i] = metric_choice_chosen(&job->choice, i % s->n_metrics);
    s->kind = (struct summary_kind){ n * s->n_metrics, job->args->bootstrap, replicated,
                                     job->args->reliability };
    s->value = arena_alloc(s->a, (uint64_t)s->kind.n, sizeof *s->value);
    if (compares)
        s->js = arena_alloc(s->a, (uint64_t)n, sizeof *s->js);
    job->summary = s;
    job->head_record = without(job, &head_record);
    job->job.record = without(job, records_without_shown(&job->job.s, &stats_summary_record));
}

static struct stats_group *group_new(struct stats_summary *summary, const char *name)
{
    struct stats_group *group = arena_alloc(summary->kept, 1, sizeof *group);

    group->summary = summary_new(summary->kept, &summary->kind);
    group->n_rows = arena_alloc(summary->kept, (uint64_t)summary->n_heads, sizeof *group->n_rows);
    if (summary->js != NULL)
        group->apart = apart_new(summary->kept, summary->n_heads);
    if (name != NULL) {
        group->name = arena_strdup(summary->kept, name);
        group->few = arena_alloc(summary->kept, (uint64_t)summary->kind.n * CONTRAST_FEW,
                                 sizeof(double));
    }
    return group;
}

struct stats_group *stats_group(struct stats_summary *summary, const char *name, struct err *e)
{
    struct stats_group **at = &summary->groups;

    while (*at != NULL && name != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at != NULL)
        return *at;
    if (summary->n_groups == MOST_GROUPS) {
        err_set(e, ERR_USAGE, "--by: over %d different values: expected groups of texts",
                MOST_GROUPS);
        return NULL;
    }
    summary->n_groups++;
    *at = group_new(summary, name);
    return *at;
}

int stats_summary_add(struct stats_job *job, const struct item *item, const struct stats *stats,
                      int text, struct err *e)
{
    const struct session *session = &job->job.s;
    struct stats_summary *s = job->summary;
    struct stats_group *group = stats_group(s, item->group, e);
    int n_queries = session_queries(session, item)->n, n_hidden;

    if (group == NULL)
        return -1;
    shown_hidden(session->a, item, session_query_side(session), &n_hidden);
    for (int i = 0; i < s->n_heads; i++) {
        const struct head_stats *head = stats_head(stats, text, s->head[i].layer,
                                                   s->head[i].head);

        memcpy(s->value + i * s->n_metrics, head->value,
               (size_t)s->n_metrics * sizeof *s->value);
        if (s->js != NULL)
            s->js[i] = &head->list[s->n_metrics];
        group->n_rows[i] += n_queries - n_hidden - head->n_skipped;
    }
    if (group->few != NULL && group->n < CONTRAST_FEW)
        memcpy(group->few + group->n * s->kind.n, s->value,
               (size_t)s->kind.n * sizeof *s->value);
    summary_add(group->summary, item->index, s->value);
    if (group->apart != NULL)
        apart_add(group->apart, s->js);
    group->n++;
    return 0;
}

/* Numbers by size, before other names, which stand as their bytes do. */
static int stats_summary_by_name(const void *x, const void *y)
{
    const struct stats_group *const *first = x, *const *second = y;
    const char *a = (*first)->name, *b = (*second)->name;
    char *end_a, *end_b;
    double number_a = strtod(a, &end_a), number_b = strtod(b, &end_b);
    bool is_a = *end_a == '\0' && !isnan(number_a), is_b = *end_b == '\0' && !isnan(number_b);

    if (is_a && is_b && number_a != number_b)
        return number_a > number_b ? 1 : -1;
    return is_a != is_b ? (is_a ? -1 : 1) : strcmp(a, b);
}

static struct stats_group **sorted_groups(const struct stats_summary *summary)
{
    struct stats_group **all = arena_alloc(summary->a, (uint64_t)summary->n_groups, sizeof *all);
    int n = 0;

    for (struct stats_group *group = summary->groups; group != NULL; group = group->next)
        all[n++] = group;
    if (n > 1)
        qsort(all, (size_t)n, sizeof *all, stats_summary_by_name);
    return all;
}

/* ---- numbers ---- */

/* Number i of the first texts of a group, those that are kept. */
static int few_of(const struct stats_summary *summary, const struct stats_group *group, int i,
                  double value[CONTRAST_FEW])
{
    for (int64_t text = 0; text < group->n; text++)
        value[text] = group->few[text * summary->kind.n + i];
    return (int)group->n;
}

static void set_contrast(const struct stats_summary *summary, const struct stats_group *first,
                         const struct stats_group *group, int i, struct number *x)
{
    struct summary_estimate other = summary_of(first->summary, i);

    x->contrast = contrast_of(&other, &x->mean);
    if (first->n + group->n <= CONTRAST_FEW) {
        double values[2][CONTRAST_FEW];
        int n_first = few_of(summary, first, i, values[0]),
            n_second = few_of(summary, group, i, values[1]);

        x->contrast.p = contrast_exact(values[0], n_first, values[1], n_second);
    }
}

/* [heads, metrics] of a group, against the first. */
static struct number *stats_summary_numbers(const struct stats_summary *summary,
                                            const struct stats_group *first,
                                            const struct stats_group *group)
{
    struct number *x = arena_alloc(summary->a, (uint64_t)summary->kind.n, sizeof *x);
    struct contrast **heads = arena_alloc(summary->a, (uint64_t)summary->n_heads,
                                          sizeof(struct contrast *));

    for (int i = 0; i < summary->kind.n; i++) {
        x[i].mean = summary_of(group->summary, i);
        x[i].contrast = (struct contrast){ NAN, NAN, NAN, NAN, NAN };
        if (group != first)
            set_contrast(summary, first, group, i, &x[i]);
    }
    for (int m = 0; group != first && m < summary->n_metrics; m++) {
        for (int h = 0; h < summary->n_heads; h++)
            heads[h] = &x[h * summary->n_metrics + m].contrast;
        contrast_adjust(summary->a, heads, summary->n_heads);
    }
    return x;
}

/* ---- how far heads are from each other ---- */

static struct apart_mean between_heads(const struct stats_job *job, const struct stats_group *group)
{
    const struct stats_summary *s = job->summary;
    bool clusters = job->between.wanted[METRIC_js_cluster];

    if (group->apart == NULL)
        return (struct apart_mean){ .n = 0 };
    return apart_mean(group->apart, clusters ? job->args->clusters : 0, s->a, job->set.progress);
}

static void set_between(const struct apart_mean *mean, int head, struct head_row *row)
{
    int i = mean->index != NULL ? mean->index[head] : -1;

    row->js = i >= 0 ? (struct list){ mean->js + (size_t)i * (size_t)mean->n, mean->n } :
                       (struct list){ NULL, -1 };
    row->mds = i >= 0 && mean->place != NULL ? (struct list){ mean->place + 2 * i, 2 } :
                                               (struct list){ NULL, -1 };
    row->cluster = apart_cluster(mean, head);
}

/* ---- rows ---- */

/* The heads in the order of --sort by the first group, the same for all. */
static const struct stats_rank *ranking(const struct stats_job *job,
                                        const struct stats_group *first,
                                        const struct apart_mean *between)
{
    const struct stats_summary *s = job->summary;
    double *key = arena_alloc(s->a, (uint64_t)s->n_heads, sizeof *key);
    bool by_mean = job->sort >= 0 && job->choice.wanted[job->sort];
    int sort = by_mean ? metric_choice_place(&job->choice, (enum metric_id)job->sort) : -1;

    for (int h = 0; h < s->n_heads && by_mean; h++)
        key[h] = summary_of(first->summary, h * s->n_metrics + sort).mean;
    for (int h = 0; h < s->n_heads && job->sort == METRIC_js_cluster; h++)
        key[h] = apart_cluster(between, h);
    return stats_sort(job, s->a, s->head, key, s->n_heads);
}

/* By the means of a head's metrics. */
static void set_types(const struct stats_job *job, const struct stats_group *group, int place,
                      struct head_row *row)
{
    struct arena *a = job->job.s.a;
    double value[N_METRIC];
    const char *const *name;
    const struct number *of_long = row->value[METRIC_sink_long];
    struct stats_types_texts texts = { group->n, of_long != NULL ? of_long->mean.n : 0 };

    for (int m = 0; m < N_METRIC; m++)
        value[m] = row->value[m] != NULL ? row->value[m]->mean.mean : (double)NAN;
    row->types = stats_types(job, a, value, group->n_rows[place], texts);
    name = row->types.at;
    row->labels = "";
    for (int i = 0; i < row->types.n; i++)
        row->labels = arena_printf(a, "%s%s%s", row->labels, i > 0 ? ", " : "", name[i]);
}

static struct list stats_summary_head_rows(const struct stats_job *job,
                                           const struct stats_rank *rank,
                                           const struct stats_group *group,
                                           const struct number *number,
                                           const struct apart_mean *between)
{
    const struct stats_summary *s = job->summary;
    int n = stats_best(job, s->n_heads);
    struct head_row *row = arena_alloc(s->a, (uint64_t)n, sizeof *row);

    for (int i = 0; i < n; i++) {
        row[i].id = records_head(&job->job.s, rank[i].id);
        for (int m = 0; m < N_METRIC; m++)
            if (job->choice.wanted[m])
                row[i].value[m] = &number[rank[i].place * s->n_metrics +
                                          metric_choice_place(&job->choice, (enum metric_id)m)];
        set_between(between, rank[i].place, &row[i]);
        set_types(job, group, rank[i].place, &row[i]);
    }
    return (struct list){ row, n };
}

static struct list alike_rows(const struct stats_job *job, const struct stats_group *group)
{
    const struct stats_summary *s = job->summary;
    struct alike_row *row = arena_alloc(s->a, (uint64_t)s->n_metrics, sizeof *row);

    for (int m = 0; job->args->reliability && m < s->n_metrics; m++) {
        row[m].metric = job->set.metric[m].name;
        row[m].of = summary_reliability(group->summary, m, s->n_metrics, s->n_heads);
    }
    return (struct list){ row, job->args->reliability ? s->n_metrics : 0 };
}

/* ---- several models ---- */

static const struct stats_group *same_group(const struct stats_summary *summary,
                                            const struct stats_group *group)
{
    const struct stats_group *other = summary->groups;

    while (other != NULL && group->name != NULL && strcmp(other->name, group->name) != 0)
        other = other->next;
    return other;
}

/* Pearson's, of the n pairs x y of two numbers; NaN where one of them does not vary. */
static double stats_summary_correlation(double (*pair)[2], int n)
{
    double mean[2] = { 0 }, xx = 0, yy = 0, xy = 0;

    for (int i = 0; i < n; i++) {
        mean[0] += pair[i][0] / n;
        mean[1] += pair[i][1] / n;
    }
    for (int i = 0; i < n; i++) {
        double x = pair[i][0] - mean[0], y = pair[i][1] - mean[1];

        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* Of metric m, over the heads in which it is defined in both. */
static double stats_summary_score(const struct stats_summary *summary,
                                  const struct stats_group *group, const struct stats_group *other,
                                  int m)
{
    double (*pair)[2] = arena_alloc(summary->a, (uint64_t)summary->n_heads, sizeof *pair);
    int n = 0;

    for (int h = 0; h < summary->n_heads; h++) {
        pair[n][0] = summary_of(group->summary, h * summary->n_metrics + m).mean;
        pair[n][1] = summary_of(other->summary, h * summary->n_metrics + m).mean;
        n += !isnan(pair[n][0]) && !isnan(pair[n][1]);
    }
    return stats_summary_correlation(pair, n);
}

static bool same_heads(const struct stats_summary *x, const struct stats_summary *y)
{
    for (int i = 0; i < x->n_heads && i < y->n_heads; i++)
        if (x->head[i].layer != y->head[i].layer || x->head[i].head != y->head[i].head)
            return false;
    return x->n_heads == y->n_heads;
}

static struct list score_rows(const struct stats_job *job, const struct stats_group *group,
                              const struct stats_job *first)
{
    const struct stats_summary *s = job->summary;
    const struct stats_group *other = NULL;
    struct score_row *row = arena_alloc(s->a, (uint64_t)s->n_metrics, sizeof *row);

    if (first == NULL || first == job)
        return (struct list){ NULL, -1 };
    if (same_heads(s, first->summary))
        other = same_group(first->summary, group);
    for (int m = 0; m < s->n_metrics; m++)
        row[m] = (struct score_row){ job->set.metric[m].name,
                                     other != NULL ? stats_summary_score(s, group, other,
                                                                         m) : (double)NAN };
    return (struct list){ row, s->n_metrics };
}

/* ---- the report ---- */

static const char *title(const struct stats_job *job, const struct stats_group *g)
{
    const struct session *session = &job->job.s;
    struct arena *a = session->a;
    const char *by = session->asked->by, *shown = shown_asked(session, a, SHOWN_NUMBERS);
    const char *group = by != NULL ? arena_printf(a, "%s %s: ", by, g->name) : "";
    const char *mean = average_text(session, a);

    group = report_clean(a, group, strlen(group));
    if (job->of_models)
        group = arena_printf(a, "%s: %s", session->name, group);
    return arena_printf(a, "%smean of %lld text%s%s%s%s%s", group, (long long)g->n,
                        str_plural(g->n), mean != NULL ? "; " : "", mean != NULL ? mean : "",
                        shown != NULL ? "; " : "", shown != NULL ? shown : "");
}

static void stats_summary_print_tables(const struct stats_job *job, const struct stats_group *group,
                                       const struct summary_row *row, FILE *file)
{
    const struct stats_summary *s = job->summary;

    fprintf(file, "%s\n", title(job, group));
    record_table(job->head_record, row->heads.at, row->heads.n, s->a, file);
    if (row->reliability.n > 0) {
        putc('\n', file);
        record_table(&alike_record, row->reliability.at, row->reliability.n, s->a, file);
    }
    if (row->score_r.n > 0) {
        putc('\n', file);
        record_table(&score_record, row->score_r.at, row->score_r.n, s->a, file);
    }
}

void stats_summary_report(struct stats_job *job, const struct stats_job *first,
                          struct report *report, bool follows)
{
    const struct stats_summary *s = job->summary;
    const struct session *session = &job->job.s;
    struct stats_group **groups = sorted_groups(s);
    const struct stats_rank *rank = NULL;

    for (int i = 0; i < s->n_groups; i++) {
        struct apart_mean between = between_heads(job, groups[i]);
        const struct number *number = stats_summary_numbers(s, groups[0], groups[i]);
        struct summary_row row = {
            session->name, session->model != NULL ? session->model->family->name : NULL,
            session->asked->by, groups[i]->name, groups[i]->n, job->job.n_bad,
            records_shown_asked(session), alike_rows(job, groups[i]),
            score_rows(job, groups[i], first), { NULL, 0 },
        };

        if (i == 0)
            rank = ranking(job, groups[0], &between);
        row.heads = stats_summary_head_rows(job, rank, groups[i], number, &between);

        if (report->format != REPORT_TABLE) {
            report_row(report, &row);
            continue;
        }
        if (i > 0 || follows)
            putc('\n', report->file);
        stats_summary_print_tables(job, groups[i], &row, report->file);
    }
}
