/* SPDX-License-Identifier: MIT
 * Choice and order of the numbers and heads that reports of ablate show, and their names. */
#include <math.h>

#include "base/sort.h"
#include "task/ablate/record.h"

const char *const ablate_set_names[] = { "chosen", "random_mean", "random_low", "random_high",
                                         NULL };

/* ---- names ---- */

const char *ablate_with_text(const struct ablate_job *j)
{
    static const char *const texts[] = {
        [ABLATE_ZERO] = "zeros", [ABLATE_MEAN] = "their mean",
        [ABLATE_RESAMPLE] = "those of another text", [ABLATE_UNIFORM] = "uniform attention",
    };

    return j->args->with == ABLATE_MEAN && j->args->by_position ? "their mean at each position" :
                                                                  texts[j->args->with];
}

/* ---- random sets ---- */

void ablate_range(const struct ablate_job *j, const double (*of)[N_ABLATE], int i,
                  double out[N_SET])
{
    double sum = 0;

    out[SET_CHOSEN] = of[0][i];
    out[SET_LOW] = INFINITY;
    out[SET_HIGH] = -INFINITY;
    for (int k = 1; k < j->n_sets; k++) {
        sum += of[k][i];
        out[SET_LOW] = fmin(out[SET_LOW], of[k][i]);
        out[SET_HIGH] = fmax(out[SET_HIGH], of[k][i]);
    }
    out[SET_MEAN] = sum / (j->n_sets - 1);
}

/* ---- which columns ---- */

bool ablate_several_stacks(const struct ablate_job *j)
{
    for (int i = 1; i < j->n_asked; i++)
        if (j->head[i].stack != j->head[0].stack)
            return true;
    return false;
}

/* What the output of the model, and the options, have no numbers for. */
const struct record *ablate_measured(const struct ablate_job *j, const struct record *r)
{
    static const char *const of_loss[] = { "dloss", "dloss_token", "kl", "direct", NULL };
    static const char *const of_hidden[] = { "change", NULL };
    static const char *const of_direct[] = { "direct", NULL };
    static const char *const of_masks[] = { "masked", NULL };
    static const char *const of_sets[] = { "sets", NULL };
    static const char *const of_heads[] = { "heads", NULL };
    static const char *const of_stacks[] = { "attention", NULL };
    struct arena *a = j->job.s.a;

    r = record_without(a, r, IN_ALL, j->measure == ABLATE_HIDDEN ? of_loss : of_hidden);
    if (!j->has_direct)
        r = record_without(a, r, IN_ALL, of_direct);
    if (j->measure != ABLATE_MASKED)
        r = record_without(a, r, IN_ALL, of_masks);
    if (!ablate_several_stacks(j))
        r = record_without(a, r, IN_TABLE, of_stacks);
    return record_without(a, r, IN_TSV | IN_JSON, j->args->together ? of_heads : of_sets);
}

enum ablate_number ablate_shown(const struct ablate_job *j)
{
    return j->measure == ABLATE_HIDDEN ? ABLATE_CHANGE :
           j->args->metric > 0 ? (enum ablate_number)(j->args->metric - 1) : ABLATE_DLOSS;
}

/* ---- order ---- */

int *ablate_order(const struct ablate_job *j, struct arena *a,
                  double (*value)(const void *of, int head, int number), const void *of)
{
    double *key = arena_alloc(a, (size_t)j->n_asked, sizeof *key);

    for (int i = 0; i < j->n_asked; i++)
        key[i] = j->args->sort == 0 ? 0 : value(of, i, j->args->sort - 1);
    return sort_places(a, key, j->n_asked, j->args->reverse);
}

struct head_id ablate_head_id(const struct ablate_head *h)
{
    return (struct head_id){ family_stack_names[h->stack], h->layer, h->head };
}

const struct head_id *ablate_head_ids(const struct ablate_job *j)
{
    struct head_id *id = arena_alloc(j->job.s.a, (size_t)j->n_asked, sizeof *id);

    for (int i = 0; i < j->n_asked; i++)
        id[i] = ablate_head_id(&j->head[i]);
    return id;
}
