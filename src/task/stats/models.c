/* SPDX-License-Identifier: MIT
 * stats --summary of several models: the same texts through one after the other. */
#include <string.h>

#include "task/common/provenance.h"
#include "task/stats/stats.h"

struct models {
    int n, n_open;              /* n_open: sessions */
    struct stats_args *args;    /* [n] with one model each */
    struct stats_job *job;      /* [n] */
    const struct parts_kind *parts;
    struct env env;             /* standard input is kept, as all of them read it */
};

static int stats_models_check(const struct stats_args *args, struct err *e)
{
    const struct {
        bool given;
        const char *name;
    } refused[] = {
        { args->shared.asked.shard != NULL, "--shard" },
        { args->shared.resume != NULL, "--resume" },
        { args->layers.out != NULL, "--hidden-out" },
        { args->layers.in != NULL, "--hidden-in" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return err_set(e, ERR_USAGE, "%s, --model: expected one model", refused[i].name);
    return args->summary ? 0 : err_set(e, ERR_USAGE, "--model: given %d times, expected once "
                                       "without --summary", args->models.n);
}

static int stats_models_gather(struct models *models, int k, const struct job_kind *kind,
                               int n_operands, char **operands, struct err *e)
{
    struct stats_job *job = &models->job[k];

    models->args[k] = models->args[0];
    models->args[k].shared.asked.model = models->args[0].models.item[k];
    *job = (struct stats_job){ .job = { &models->args[k], n_operands, operands },
                               .args = &models->args[k], .of_models = true };
    job->job.s.a = models->env.arena;
    if (parts_choose(&job->job, models->parts, true, e) != 0 || stats_choose(job, e) != 0)
        return -1;
    models->n_open = k + 1;
    return job_gather(&job->job, kind, &models->env, e);
}

/* Models of one name, as checkpoints may be, are called by what was asked for. */
static void call_apart(struct models *models)
{
    bool *shared = arena_alloc(models->env.arena, (uint64_t)models->n, sizeof *shared);

    for (int i = 0; i < models->n; i++)
        for (int k = 0; k < models->n; k++)
            shared[i] |= k != i &&
                         strcmp(models->job[i].job.s.name, models->job[k].job.s.name) == 0;
    for (int i = 0; i < models->n; i++)
        if (shared[i])
            models->job[i].job.s.name = models->args[i].shared.asked.model;
}

/* All of them, to the results of the first. */
static int stats_models_report(struct models *models, struct err *e)
{
    struct results *results = &models->job[0].job.results;
    const struct input *worst = models->job[0].job.in;

    results->run = models->job[0].job.s.provenance;
    if (results_open(results,
                     records_without_part(&models->job[0].job.s, models->job[0].job.record), worst,
                     e) != 0)
        return -1;
    for (int k = 0; k < models->n; k++) {
        stats_summary_report(&models->job[k], &models->job[0], &results->report, k > 0);
        if (models->job[k].job.n_bad > 0)
            worst = models->job[k].job.in;
    }
    return results_close(results, worst, 0, e);
}

static int stats_models_run_all(struct models *models, const struct job_kind *kind, int n_operands,
                                char **operands, struct err *e)
{
    for (int k = 0; k < models->n; k++)
        if (stats_models_gather(models, k, kind, n_operands, operands, e) != 0)
            return -1;
    if (!input_is_file(models->job[0].job.in))
        return err_set(e, ERR_USAGE, "--summary requires several texts: -f FILE, or arrays "
                       "of several");
    for (int k = 1; k < models->n; k++)
        if (provenance_add(&models->job[0].job.s, &models->job[k].job.s, e) != 0)
            return -1;
    call_apart(models);
    return stats_models_report(models, e);
}

int stats_models_run(const struct job_kind *kind, const struct parts_kind *parts,
                     const struct stats_args *args, int n_operands, char **operands,
                     const struct env *env, struct err *e)
{
    struct models m = { args->models.n, 0, arena_alloc(env->arena, OPT_MOST, sizeof *m.args),
                        arena_alloc(env->arena, OPT_MOST, sizeof *m.job), parts, *env };
    int status = stats_models_check(args, e);

    m.args[0] = *args;
    m.env.again = true;
    if (status == 0)
        status = stats_models_run_all(&m, kind, n_operands, operands, e);
    for (int k = 0; k < m.n_open; k++)
        session_close(&m.job[k].job.s);
    return status;
}
