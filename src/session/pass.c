/* SPDX-License-Identifier: MIT
 * Packed texts -> a pass over the model, or over its encoder, then its decoder. */
#include "session/pass.h"

#include <string.h>

#include "run/pair.h"
#include "session/stream.h"

/* One of their streams, the rows of all texts below each other; NULL: they have none. */
static const float *pack_stream(struct arena *a, const struct texts *t, int which,
                                size_t width)
{
    const struct batch *b = &t->source;
    float *all;

    if (t->item[0].x[which] == NULL)
        return NULL;
    all = arena_alloc_raw(a, (size_t)b->start[b->n_texts], width * sizeof *all);
    for (int i = 0; i < b->n_texts; i++)
        memcpy(all + (size_t)b->start[i] * width, t->item[i].x[which],
               (size_t)t->item[i].tokens.n * width * sizeof *all);
    return all;
}

/* Where the texts' streams, of layers of another process, are gone on with. */
static struct resume resume_of(const struct stream *stream, const struct texts *t,
                               struct arena *a)
{
    size_t width = (size_t)stream->width;

    return (struct resume){ stream->layer, pack_stream(a, t, 0, width),
                            pack_stream(a, t, 1, width) };
}

int session_pass(const struct session *s, const struct texts *t, const struct wanted *want,
                 const struct sink *sinks, int n_sinks, struct arena *a, struct err *e)
{
    struct wanted numbered = *want;
    bool target = session_query_side(s) == SIDE_TARGET;
    struct change change;
    struct resume resume;

    if (want->change != NULL) {
        change = *want->change;
        change.number = t->number;
        numbered.change = &change;
    }
    if (s->asked->stream != NULL) {
        resume = resume_of(s->asked->stream, t, a);
        numbered.resume = &resume;
    }
    if (target || t->memory.x != NULL)
        numbered.stacks = s->stack == N_STACK ? 0 : 1u << s->stack;
    if (target)
        return run_pair(s->model, &t->source, &t->target, &numbered, sinks, n_sinks, s->par,
                        a, e);
    if (t->memory.x != NULL)
        numbered.memory = &t->memory;
    return run_forward(s->model, &t->source, &numbered, sinks, n_sinks, s->par, a, e);
}
