/* SPDX-License-Identifier: MIT
 * Questions that one of eight documents answers -> scores of heads that attend to that document. */
#include "task/types/types.h"
#include "gold/documents.h"
#include "gold/haystack.h"

enum { PLACE = TYPES_probe_qr - N_TYPES_TEXT };

static int rank(struct types_job *job, const struct documents *docs, struct err *e)
{
    struct session *s = &job->job.s;
    struct wanted want = job->job.want;
    struct attended attended;
    struct ranking *ranking;
    struct sink sink;

    texts_pack(&job->job.texts, s->a, docs->item, N_RANKING);
    attended = session_attended(s, &job->job.texts, s->a);
    want.weighting = WEIGHTING_PLAIN;
    ranking = ranking_new(s->a, s->shown, &attended, &want, &docs->places);
    sink = ranking_sink(ranking);
    if (run_forward(s->model, &job->job.texts.source, &want, &sink, 1, s->par, s->a, e) != 0)
        return -1;
    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);) {
        double *score = &job->probe[types_place(job, l, h)][PLACE];

        *score = ranking_score(ranking, l, h) + (job->n_ranked > 0 ? *score : 0);
    }
    job->n_ranked++;
    return 0;
}

int types_ranking_run(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(s->a);

    job->unranked = haystack_unreadable(s);
    for (int i = 0; i < DOCUMENT_TEXTS && job->unranked == NULL; i++) {
        struct documents docs;
        int status = documents_text(s, s->a, job->args->shared.asked.seed, i, &docs, e);

        if (status < 0 || (status > 0 && rank(job, &docs, e) != 0))
            return -1;
        arena_reset(s->a, mark);
    }
    for (int l = 0, h = -1; job->n_ranked > 0 && session_next_head(s, &job->job.want, &l, &h);)
        job->probe[types_place(job, l, h)][PLACE] /= job->n_ranked;
    if (job->unranked == NULL && job->n_ranked == 0)
        job->unranked = "it takes too few tokens";
    return 0;
}
