/* SPDX-License-Identifier: MIT
 * A report of `mha-viz ablate --json` -> effects of heads, shown next to their statistics. */
#include <math.h>

#include "base/json_field.h"
#include "task/common/heads_file.h"
#include "task/report/report.h"

static const struct {
    const char *name, *unit, *help;
} kinds[REPORT_COSTS] = {
    { "dloss", "nats", "ablation: change of the loss without the head" },
    { "kl", "nats", "ablation: divergence of the distribution without the head" },
    { "direct", "nats", "ablation: change of the loss by what the head writes into the logits" },
    { "change", "", "ablation: change of the last hidden states without the head" },
};

/* Absent or null: NAN.  Of a summary: the mean. */
static int read_cost(const json_t *o, const char *key, double *v, struct err *e)
{
    const json_t *found = json_object_get(o, key);

    *v = NAN;
    if (found == NULL || json_is_null(found))
        return 0;
    if (!json_is_object(found))
        return json_field_real(o, key, -INFINITY, INFINITY, v, e);
    return json_is_null(json_object_get(found, "mean")) ? 0 :
           json_field_real(found, "mean", -INFINITY, INFINITY, v, e) != 0 ? err_under(e, "%s", key)
                                                                          : 0;
}

static int report_ablate_read_head(void *self, int layer, int head, const json_t *o, struct err *e)
{
    struct report_job *j = self;
    size_t at = (size_t)(layer * j->job.s.shown->config.n_heads + head);

    for (int i = 0; i < REPORT_COSTS; i++)
        if (read_cost(o, kinds[i].name, &j->cost[i].value[at], e) != 0)
            return -1;
    return 0;
}

static bool has_any(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!isnan(v[i]))
            return true;
    return false;
}

static int report_ablate_read_bytes(struct report_job *job, struct span bytes, struct err *e)
{
    static const char *const schemas[] = { "mha-viz/ablate/1", "mha-viz/ablate-summary/1", NULL };
    const struct config *config = &job->job.s.shown->config;
    int n = config->n_layers * config->n_heads, found = 0;

    for (int i = 0; i < REPORT_COSTS; i++) {
        job->cost[i] = (struct report_cost){ kinds[i].name, kinds[i].unit, kinds[i].help,
                                             arena_alloc(job->job.s.a, (uint64_t)n,
                                                         sizeof(double)) };
        for (int k = 0; k < n; k++)
            job->cost[i].value[k] = NAN;
    }
    if (heads_file_read(&job->job.s, bytes, schemas, report_ablate_read_head, job, e) != 0)
        return -1;
    for (int i = 0; i < REPORT_COSTS; i++)
        if (has_any(job->cost[i].value, n))
            job->cost[found++] = job->cost[i];
    job->n_costs = found;
    return found > 0 ? 0 : err_set(e, ERR_INPUT, "heads: no numbers of heads, expected dloss, kl, "
                                   "direct or change");
}

int report_ablate(struct report_job *job, const char *path, struct err *e)
{
    struct span bytes;
    int status;

    if (file_map(path, &bytes, e) != 0)
        return -1;
    status = report_ablate_read_bytes(job, bytes, e);
    file_unmap(bytes);
    return status == 0 ? 0 : err_under(e, "%s", path);
}
