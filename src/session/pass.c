/* SPDX-License-Identifier: MIT
 * Packed texts -> a pass over the model, or over its encoder, then its decoder. */
#include "session/pass.h"

#include <string.h>

#include "run/pair.h"
#include "session/source/stream.h"

/* One of their streams, the rows of all texts below each other; NULL: they have none. */
static const float *pack_stream(struct arena *a, const struct texts *texts, int which,
                                size_t width)
{
    const struct batch *b = &texts->source;
    float *all;

    if (texts->item[0].x[which] == NULL)
        return NULL;
    all = arena_alloc_raw(a, (size_t)b->start[b->n_texts], width * sizeof *all);
    for (int i = 0; i < b->n_texts; i++)
        memcpy(all + (size_t)b->start[i] * width, texts->item[i].x[which],
               (size_t)texts->item[i].tokens.n * width * sizeof *all);
    return all;
}

/* Where the texts' streams, of layers of another process, are gone on with. */
static struct resume resume_of(const struct stream *stream, const struct texts *texts,
                               struct arena *a)
{
    size_t width = (size_t)stream->width;

    return (struct resume){ stream->layer, pack_stream(a, texts, 0, width),
                            pack_stream(a, texts, 1, width) };
}

int session_pass(const struct session *session, const struct texts *texts,
                 const struct wanted *want, const struct sink *sinks, int n_sinks, struct arena *a,
                 struct err *e)
{
    struct wanted numbered = *want;
    bool target = session_query_side(session) == SIDE_TARGET;
    struct change change;
    struct resume resume;

    if (want->change != NULL) {
        change = *want->change;
        change.number = texts->number;
        numbered.change = &change;
    }
    if (session->asked->stream != NULL) {
        resume = resume_of(session->asked->stream, texts, a);
        numbered.resume = &resume;
    }
    if (target || texts->memory.x != NULL)
        numbered.stacks = session->stack == N_STACK ? 0 : 1u << session->stack;
    if (target)
        return run_pair(session->model, &texts->source, &texts->target, &numbered, sinks, n_sinks,
                        session->par, a, e);
    if (texts->memory.x != NULL)
        numbered.memory = &texts->memory;
    return run_forward(session->model, &texts->source, &numbered, sinks, n_sinks, session->par, a,
                       e);
}
