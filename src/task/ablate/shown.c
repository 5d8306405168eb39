/* SPDX-License-Identifier: MIT
 * Choice and order of the numbers and heads that reports of ablate show, and their names. */
#include <math.h>

#include "base/sort.h"
#include "task/ablate/record.h"

const char *const ablate_set_names[] = { "chosen", "random_mean", "random_low", "random_high",
                                         NULL };

/* ---- names ---- */

const char *ablate_with_text(const struct ablate_job *job)
{
    static const char *const texts[] = {
        [ABLATE_ZERO] = "zeros", [ABLATE_MEAN] = "their mean",
        [ABLATE_RESAMPLE] = "those of another text", [ABLATE_UNIFORM] = "uniform attention",
    };

    return job->args->with == ABLATE_MEAN &&
           job->args->by_position ? "their mean at each position" :
                                                                      texts[job->args->with];
}

/* ---- random sets ---- */

void ablate_range(const struct ablate_job *job, const double (*of)[N_ABLATE], int i,
                  double out[N_SET])
{
    double sum = 0;

    out[SET_CHOSEN] = of[0][i];
    out[SET_LOW] = INFINITY;
    out[SET_HIGH] = -INFINITY;
    for (int k = 1; k < job->n_sets; k++) {
        sum += of[k][i];
        out[SET_LOW] = fmin(out[SET_LOW], of[k][i]);
        out[SET_HIGH] = fmax(out[SET_HIGH], of[k][i]);
    }
    out[SET_MEAN] = sum / (job->n_sets - 1);
}

/* ---- which columns ---- */

bool ablate_several_stacks(const struct ablate_job *job)
{
    for (int i = 1; i < job->n_asked; i++)
        if (job->head[i].stack != job->head[0].stack)
            return true;
    return false;
}

/* What the output of the model, and the options, have no numbers for. */
const struct record *ablate_measured(const struct ablate_job *job, const struct record *record)
{
    static const char *const of_loss[] = { "dloss", "dloss_token", "kl", "direct", NULL };
    static const char *const of_hidden[] = { "change", NULL };
    static const char *const of_direct[] = { "direct", NULL };
    static const char *const of_masks[] = { "masked", NULL };
    static const char *const of_sets[] = { "sets", NULL };
    static const char *const of_heads[] = { "heads", NULL };
    static const char *const of_stacks[] = { "attention", NULL };
    struct arena *a = job->job.s.a;

    record = record_without(a, record, IN_ALL, job->measure == ABLATE_HIDDEN ? of_loss : of_hidden);
    if (!job->has_direct)
        record = record_without(a, record, IN_ALL, of_direct);
    if (job->measure != ABLATE_MASKED)
        record = record_without(a, record, IN_ALL, of_masks);
    if (!ablate_several_stacks(job))
        record = record_without(a, record, IN_TABLE, of_stacks);
    return record_without(a, record, IN_TSV | IN_JSON, job->args->together ? of_heads : of_sets);
}

enum ablate_number ablate_shown(const struct ablate_job *job)
{
    return job->measure == ABLATE_HIDDEN ? ABLATE_CHANGE :
           job->args->metric > 0 ? (enum ablate_number)(job->args->metric - 1) : ABLATE_DLOSS;
}

/* ---- order ---- */

int *ablate_order(const struct ablate_job *job, struct arena *a,
                  double (*value)(const void *of, int head, int number), const void *of)
{
    double *key = arena_alloc(a, (size_t)job->n_asked, sizeof *key);

    for (int i = 0; i < job->n_asked; i++)
        key[i] = job->args->sort == 0 ? 0 : value(of, i, job->args->sort - 1);
    return sort_places(a, key, job->n_asked, job->args->reverse);
}

struct head_id ablate_head_id(const struct ablate_head *head)
{
    return (struct head_id){ family_stack_names[head->stack], head->layer, head->head };
}

const struct head_id *ablate_head_ids(const struct ablate_job *job)
{
    struct head_id *id = arena_alloc(job->job.s.a, (size_t)job->n_asked, sizeof *id);

    for (int i = 0; i < job->n_asked; i++)
        id[i] = ablate_head_id(&job->head[i]);
    return id;
}
