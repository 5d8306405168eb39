/* SPDX-License-Identifier: MIT
 * Needles in haystacks -> scores of heads that attend to the needle while it is repeated as the
 * answer. */
#include <math.h>

#include "task/types/types.h"
#include "session/haystack.h"

enum { N_QUESTIONS = HAYSTACK_LENGTHS * HAYSTACK_DEPTHS, LEAST_ANSWERED = 10 };

/* Among the scores of probes, which stand after those of texts. */
enum { PLACE = TYPES_probe_retrieval - N_TYPES_TEXT };

/* Sums over the answered questions, then means. */
static void add_found(struct types_job *j, const struct retrieval *r)
{
    const struct session *s = &j->job.s;

    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);) {
        struct retrieval_found found = retrieval_of(r, l, h);
        double *score = &j->probe[types_place(j, l, h)][PLACE];
        const double value[] = { found.set, found.steps, found.first, found.any };

        for (int i = 0; i < 4; i++)
            score[i] = value[i] + (j->n_answered > 0 ? score[i] : 0);
    }
    j->n_answered++;
}

static void types_retrieval_finish(struct types_job *j)
{
    const struct session *s = &j->job.s;
    bool enough = j->n_answered >= LEAST_ANSWERED;

    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);)
        for (int i = 0; i < 4; i++) {
            double *score = &j->probe[types_place(j, l, h)][PLACE + i];

            *score = enough ? *score / j->n_answered : (double)NAN;
        }
}

/* The model answers where it foresees half of the answer's tokens or more. */
static int ask(struct types_job *j, struct haystack *hay, struct err *e)
{
    struct session *s = &j->job.s;
    const struct retrieval_places *places = &hay->places;
    struct wanted want = j->job.want;
    struct attended attended;
    struct retrieval *retrieval;
    struct sink sink;

    texts_pack(&j->job.texts, s->a, &hay->item, 1);
    attended = session_attended(s, &j->job.texts, s->a);
    want.weighting = WEIGHTING_PLAIN;
    want.logits = arena_alloc_raw(s->a, (uint64_t)hay->item.tokens.n,
                                  (uint64_t)s->model->n_logits * sizeof *want.logits);
    retrieval = retrieval_new(s->a, s->shown, &attended, &want, places);
    sink = retrieval_sink(retrieval);
    if (run_forward(s->model, &j->job.texts.source, &want, &sink, 1, s->par, s->a, e) != 0)
        return -1;
    j->n_asked++;
    if (2 * retrieval_known(places, hay->item.tokens.id, want.logits, s->model->n_logits) >=
        places->n_gold)
        add_found(j, retrieval);
    return 0;
}

/* None is asked once too few can be answered. */
int types_retrieval_run(struct types_job *j, struct err *e)
{
    struct session *s = &j->job.s;
    struct arena_mark mark = arena_mark(s->a);

    j->deaf = haystack_refusal(s);
    progress_begin(s->env->progress, "question", N_QUESTIONS);
    for (int i = 0; i < N_QUESTIONS && j->deaf == NULL &&
                    j->n_answered + N_QUESTIONS - i >= LEAST_ANSWERED; i++) {
        struct haystack hay;
        int status = haystack_text(s, s->a, j->args->shared.asked.seed, i, &hay, e);

        if (status < 0 || (status > 0 && ask(j, &hay, e) != 0))
            return -1;
        arena_reset(s->a, mark);
        progress_step(s->env->progress);
    }
    progress_end(s->env->progress);
    types_retrieval_finish(j);
    if (j->deaf == NULL && j->n_asked == 0)
        j->deaf = "it takes too few tokens";
    return 0;
}
