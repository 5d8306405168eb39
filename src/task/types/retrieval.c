/* SPDX-License-Identifier: MIT
 * Needles in haystacks -> scores of heads that attend to the needle while it is repeated as the
 * answer. */
#include <math.h>

#include "gold/haystack.h"
#include "task/types/types.h"

enum { N_QUESTIONS = HAYSTACK_LENGTHS * HAYSTACK_DEPTHS, LEAST_ANSWERED = 10 };

/* Among the scores of probes, which stand after those of texts. */
enum { PLACE = TYPES_probe_retrieval - N_TYPES_TEXT };

/* Sums over the answered questions, then means. */
static void add_found(struct types_job *job, const struct retrieval *retrieval)
{
    const struct session *s = &job->job.s;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);) {
        struct retrieval_found found = retrieval_of(retrieval, l, h);
        double *score = &job->probe[types_place(job, l, h)][PLACE];
        const double value[] = { found.set, found.steps, found.first, found.any };

        for (int i = 0; i < 4; i++)
            score[i] = value[i] + (job->n_answered > 0 ? score[i] : 0);
    }
    job->n_answered++;
}

static void types_retrieval_finish(struct types_job *job)
{
    const struct session *s = &job->job.s;
    bool enough = job->n_answered >= LEAST_ANSWERED;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);)
        for (int i = 0; i < 4; i++) {
            double *score = &job->probe[types_place(job, l, h)][PLACE + i];

            *score = enough ? *score / job->n_answered : (double)NAN;
        }
}

/* The model answers where it foresees half of the answer's tokens or more. */
static int ask(struct types_job *job, struct haystack *hay, struct err *e)
{
    struct session *s = &job->job.s;
    const struct retrieval_places *places = &hay->places;
    struct wanted want = job->job.want;
    struct attended attended;
    struct retrieval *retrieval;
    struct sink sink;

    texts_pack(&job->job.texts, s->a, &hay->item, 1);
    attended = session_attended(s, &job->job.texts, s->a);
    want.weighting = WEIGHTING_PLAIN;
    want.logits = arena_alloc_raw(s->a, (uint64_t)hay->item.tokens.n,
                                  (uint64_t)s->model->n_logits * sizeof *want.logits);
    retrieval = retrieval_new(s->a, s->shown, &attended, &want, places);
    sink = retrieval_sink(retrieval);
    if (run_forward(s->model, &job->job.texts.source, &want, &sink, 1, s->par, s->a, e) != 0)
        return -1;
    job->n_asked++;
    if (2 * retrieval_known(places, hay->item.tokens.id, want.logits, s->model->n_logits) >=
        places->n_gold)
        add_found(job, retrieval);
    return 0;
}

/* None is asked once too few can be answered. */
int types_retrieval_run(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(s->a);

    job->deaf = haystack_refusal(s);
    progress_begin(s->env->progress, "question", N_QUESTIONS);
    for (int i = 0; i < N_QUESTIONS && job->deaf == NULL &&
                    job->n_answered + N_QUESTIONS - i >= LEAST_ANSWERED; i++) {
        struct haystack hay;
        int status = haystack_text(s, s->a, job->args->shared.asked.seed, i, &hay, e);

        if (status < 0 || (status > 0 && ask(job, &hay, e) != 0))
            return -1;
        arena_reset(s->a, mark);
        progress_step(s->env->progress);
    }
    progress_end(s->env->progress);
    types_retrieval_finish(job);
    if (job->deaf == NULL && job->n_asked == 0)
        job->deaf = "it takes too few tokens";
    return 0;
}
