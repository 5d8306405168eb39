/* SPDX-License-Identifier: MIT
 * Weights of heads -> scores of copying and successor heads, without a text. */
#include "task/circuits/circuits.h"
#include "run/special/fold.h"
#include "task/types/types.h"

enum { SAMPLE = 200 };

/* A number of circuits that is a score here. */
static const struct {
    enum types_probe probe;
    int score;
    enum circuits_number number;
} scores[] = {
    { TYPES_OF_COPY, TYPES_probe_copy, CIRCUITS_COPY },
    { TYPES_OF_COPY, TYPES_probe_copy_rank, CIRCUITS_COPY_RANK },
    { TYPES_OF_COPY, TYPES_probe_negative_copy, CIRCUITS_NEGATIVE_COPY },
    { TYPES_OF_SUCCESSOR, TYPES_probe_successor, CIRCUITS_SUCCESSOR },
    { TYPES_OF_SUCCESSOR, TYPES_probe_successor_p, CIRCUITS_SUCCESSOR_P },
};

/* NULL: there is nothing against it. */
static const char *types_copy_refusal(const struct session *session)
{
    struct err e;

    if (session->stack == STACK_CROSS)
        return "heads of cross-attention read two streams";
    if (session->model->precomputed != NULL)
        return "it has no weights";
    return fold_check(session->model, &e) == 0 && fold_check(session->shown, &e) == 0 ?
               NULL : arena_strdup(session->a, e.msg);
}

static void types_copy_keep(struct types_job *job, const struct circuits_job *circuits)
{
    const struct session *s = &job->job.s;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);)
        for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
            if (job->wants[scores[i].probe])
                job->probe[types_place(job, l, h)][scores[i].score - N_TYPES_TEXT] =
                    circuits_value(circuits, l, h, scores[i].number);
}

void types_copy_run(struct types_job *job)
{
    struct session *s = &job->job.s;
    const struct circuits_args args = { .sample = SAMPLE };
    struct circuits_job circuits = { .args = &args, .s = *s, .asked = *s->asked,
                                     .want = job->job.want, .a = s->a };
    struct arena_mark mark;

    job->weightless = types_copy_refusal(s);
    if (job->weightless != NULL)
        return;
    mark = arena_mark(s->a);
    circuits_choose(&circuits);
    circuits.found = circuits_new(s->a, s->shown, &circuits.tokens, s->par,
                                  s->env->warn);
    types_copy_keep(job, &circuits);
    arena_reset(s->a, mark);
}
