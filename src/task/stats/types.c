/* SPDX-License-Identifier: MIT
 * Metrics of a head over texts -> the types that they imply, without probes. */
#include <math.h>

#include "task/stats/stats.h"
#include "task/types/file.h"

void stats_types_found(const double *value, int64_t n_rows, struct stats_types_texts texts,
                       bool causal, struct types_found *found)
{
    const struct types_rules rules = types_rules(TYPES_MHA_VIZ, causal);
    struct types_head head = { .n_rows = n_rows, .n_texts = texts.n, .n_long = texts.n_long,
                               .same = NAN, .partial = true };

    for (int i = 0; i < N_TYPES_SCORE; i++)
        head.score[i] = NAN;
    for (int i = 0; i < N_TYPES_TEXT; i++)
        for (int k = 0; k < N_METRIC; k++)
            if (metric_table[k].rule == types_metrics[i].rule)
                head.score[i] = value[k];
    types_find(&rules, &head, found);
}

struct stats_types_texts stats_types_one(const double *value)
{
    return (struct stats_types_texts){ 1, !isnan(value[METRIC_sink_long]) };
}

struct list stats_types(const struct stats_job *job, struct arena *a, const double *value,
                        int64_t n_rows, struct stats_types_texts texts)
{
    const char **name = arena_alloc(a, N_TYPE, sizeof *name);
    struct types_found found;

    stats_types_found(value, n_rows, texts, job->causal, &found);
    for (int i = 0; i < found.n; i++)
        name[i] = found.label[i].name;
    return (struct list){ name, found.n };
}

int stats_types_open(struct stats_job *job, struct err *e)
{
    static const char *const column[] = { "type", NULL };
    const struct session *s = &job->job.s;

    if (types_file_labels(s, job->args->shared.types, &job->type, e) != 0)
        return -1;
    if (job->type == NULL)
        job->head_record = record_without(s->a, job->head_record, IN_TABLE, column);
    return 0;
}

const char *stats_type(const struct stats_job *job, struct head_id id)
{
    int n_heads = job->job.s.shown->config.n_heads;

    return job->type != NULL ? job->type[id.layer * n_heads + id.head] : NULL;
}
