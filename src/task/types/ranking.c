/* SPDX-License-Identifier: MIT
 * Questions that one of eight documents answers -> scores of heads that attend to that document. */
#include "task/types/types.h"
#include "session/documents.h"
#include "session/haystack.h"

enum { PLACE = TYPES_probe_qr - N_TYPES_TEXT };

static int rank(struct types_job *j, const struct documents *docs, struct err *e)
{
    struct session *s = &j->job.s;
    struct wanted want = j->job.want;
    struct attended attended;
    struct ranking *ranking;
    struct sink sink;

    texts_pack(&j->job.texts, s->a, docs->item, N_RANKING);
    attended = session_attended(s, &j->job.texts, s->a);
    want.weighting = WEIGHTING_PLAIN;
    ranking = ranking_new(s->a, s->shown, &attended, &want, &docs->places);
    sink = ranking_sink(ranking);
    if (run_forward(s->model, &j->job.texts.source, &want, &sink, 1, s->par, s->a, e) != 0)
        return -1;
    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);) {
        double *score = &j->probe[types_place(j, l, h)][PLACE];

        *score = ranking_score(ranking, l, h) + (j->n_ranked > 0 ? *score : 0);
    }
    j->n_ranked++;
    return 0;
}

int types_ranking_run(struct types_job *j, struct err *e)
{
    struct session *s = &j->job.s;
    struct arena_mark mark = arena_mark(s->a);

    j->unranked = haystack_unreadable(s);
    for (int i = 0; i < DOCUMENT_TEXTS && j->unranked == NULL; i++) {
        struct documents docs;
        int status = documents_text(s, s->a, j->args->shared.asked.seed, i, &docs, e);

        if (status < 0 || (status > 0 && rank(j, &docs, e) != 0))
            return -1;
        arena_reset(s->a, mark);
    }
    for (int l = 0, h = -1; j->n_ranked > 0 && session_next_head(s, &j->job.want, &l, &h);)
        j->probe[types_place(j, l, h)][PLACE] /= j->n_ranked;
    if (j->unranked == NULL && j->n_ranked == 0)
        j->unranked = "it takes too few tokens";
    return 0;
}
