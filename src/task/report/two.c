/* SPDX-License-Identifier: MIT
 * Two models or two texts -> one page that shows them side by side. */
#include <string.h>

#include "base/str.h"
#include "task/report/report.h"

struct two {
    struct report_args args[2];
    struct report_job job[2];
    int n_open;                 /* sessions */
    struct env env;             /* standard input is kept, as both read it */
};

static int report_two_check(const struct report_args *args, int n_operands, struct err *e)
{
    if (args->compare && args->models.n == 2)
        return err_set(e, ERR_USAGE, "--compare, two of -m: expected one of them");
    if (args->compare && n_operands != 2)
        return err_set(e, ERR_USAGE, "--compare: expected two texts, TEXT TEXT_B (a page of -f "
                       "compares any two of its texts)");
    return 0;
}

/* What is known of the first model's heads says nothing of the second's, which has files of its
 * own. */
static void choose_model(struct report_args *args, int side)
{
    bool none = args->shared.types != NULL && strcmp(args->shared.types, "none") == 0;

    args->shared.asked.model = args->models.item[side];
    if (side == 0)
        return;
    args->ablate = args->ablates.n == 2 ? args->ablates.item[1] : NULL;
    args->shared.types = args->types.n == 2 ? args->types.item[1] :
                         none ? args->shared.types : NULL;
}

static int report_two_gather(struct two *two, int side, const struct job_kind *kind, int n_operands,
                             char **operands, struct err *e)
{
    struct report_args *args = &two->args[side];
    bool own = args->compare;

    args->shared.asked.model = args->models.n > 0 ? args->models.item[0] : NULL;
    if (args->models.n == 2)
        choose_model(args, side);
    two->job[side] = (struct report_job){
        .job = { args, own ? 1 : n_operands, own ? operands + side : operands },
        .args = args, .first = &two->job[0], .side = side,
    };
    two->n_open = side + 1;
    return job_gather(&two->job[side].job, kind, &two->env, e);
}

int report_go_on(struct report_job *job, struct err *e)
{
    const struct report_job *first = job->first;
    const struct session *a = &first->job.s, *b = &job->job.s;
    bool same = job->n_heads == first->n_heads;

    for (int i = 0; same && i < job->n_heads; i++)
        same = job->head[i].layer == first->head[i].layer &&
               job->head[i].head == first->head[i].head;
    if (!same)
        return err_set(e, ERR_INPUT, "%s has %d layer%s of %d head%s, %s has %d of %d: expected "
                       "the same", a->name, a->shown->config.n_layers,
                       str_plural(a->shown->config.n_layers), a->shown->config.n_heads,
                       str_plural(a->shown->config.n_heads), b->name, b->shown->config.n_layers,
                       b->shown->config.n_heads);
    job->n_texts = first->n_texts;
    job->size = first->size;
    job->vectors_size = first->vectors_size;
    return 0;
}

int report_two(const struct job_kind *kind, const struct report_args *args, int n_operands,
               char **operands, const struct env *env, struct err *e)
{
    struct two two = { .args = { *args, *args }, .env = *env };
    struct report_job *first = &two.job[0];
    int status = report_two_check(args, n_operands, e);

    two.env.again = true;
    for (int side = 0; status == 0 && side < 2; side++)
        status = report_two_gather(&two, side, kind, n_operands, operands, e);
    if (first->is_open)
        status = results_close(&first->job.results,
                               two.job[two.n_open - 1].job.n_bad > 0 ?
                                   two.job[two.n_open - 1].job.in : first->job.in, status, e);
    if (status == 0)
        output_tell(&first->job.results.output, &args->shared.common.output,
                    first->job.results.output.path);
    for (int side = 0; side < two.n_open; side++)
        session_close(&two.job[side].job.s);
    return status;
}
