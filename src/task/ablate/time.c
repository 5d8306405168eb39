/* SPDX-License-Identifier: MIT
 * The time of the first passes -> the expected time of the whole run. */
#include <math.h>

#include "task/ablate/ablate.h"

/* Seconds: what is said before, and what has to be asked for. */
#define SAID 10.0
#define ASKED 3600.0

void ablate_time_begin(struct ablate_time *time)
{
    clock_gettime(CLOCK_MONOTONIC, &time->begun);
}

void ablate_time_run(struct ablate_time *time)
{
    clock_gettime(CLOCK_MONOTONIC, &time->run);
}

static double ablate_time_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

const char *ablate_time_text(struct arena *a, double seconds)
{
    return seconds < 100 ? arena_printf(a, "about %.0f seconds", seconds) :
           seconds < 6000 ? arena_printf(a, "about %.0f minutes", seconds / 60) :
           seconds < 100 * 3600 ? arena_printf(a, "about %.1f hours", seconds / 3600) :
                                  arena_printf(a, "about %.0f days", seconds / 86400);
}

/* Layers that a set runs, those of a decoder after its encoder too. */
static double ablate_time_layers_of(const struct ablate_job *job, const struct ablate_set *set)
{
    const struct model *whole = job->job.s.model;
    double most = 0;

    for (int i = 0; i < set->n; i++) {
        const struct ablate_head *head = &job->head[set->head[i]];
        const struct model *m = ablate_model(job, head->stack);
        double n = m->config.n_layers - head->layer;

        most = fmax(most, m == whole && m != job->m ? n + job->m->config.n_layers : n);
    }
    return most;
}

static double all_layers(const struct ablate_job *job, const struct ablate_set *set, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += ablate_time_layers_of(job, &set[i]);
    return sum;
}

/* Of all texts, as long as those that were taken. */
static double expected(const struct ablate_job *job, const struct ablate_set *all, int n_all,
                       int n, int n_runs, const struct timespec *now)
{
    double share = job->job.in != NULL ? input_share(job->job.in) : NAN;
    double pass = ablate_time_between(&job->time.begun, &job->time.run) / all_layers(job, all, n);
    double measure = ablate_time_between(&job->time.run, now) / n;
    double later = job->work_after;
    double L = job->m->config.n_layers;
    double text = pass * (all_layers(job, all, n_all) + later * L) + measure * (n_all + later);

    return n_runs * text * (share > 0 ? 1 / share : 1);
}

int ablate_time_check(struct ablate_job *job, const struct ablate_run *run,
                      const struct ablate_set *all, int n_all, int n, int n_runs,
                      struct err *e)
{
    struct timespec now;
    const char *text;
    double seconds;

    if (job->time.told)
        return 0;
    job->time.told = true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    seconds = expected(job, all, n_all, n, n_runs, &now);
    text = ablate_time_text(run->a, seconds);
    if (seconds > ASKED && !job->args->yes)
        return err_set(e, ERR_USAGE, "this takes %s: expected --yes, fewer heads or fewer texts",
                       text);
    if (seconds > SAID)
        err_warn(job->job.s.env->note, "this takes %s", text);
    return 0;
}
