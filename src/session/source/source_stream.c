/* SPDX-License-Identifier: MIT
 * Hidden states from another process -> texts on which the later layers continue. */
#include <string.h>

#include "session/source/source.h"
#include "session/source/stream.h"

static int source_stream_next(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    const struct session *s = self->s;
    struct stream_end end = { .n = 0 };
    struct tokens described;
    int status = stream_next(s->asked->stream, a, out, &end, e);

    if (status < 0)
        return SOURCE_FAILED;
    if (status == 0) {
        self->n = end.n;
        self->n_bad = end.n_bad;
        self->crc = end.crc;
        return SOURCE_END;
    }
    self->n++;
    tok_describe(s->tok, a, out->tokens.id, out->tokens.type, out->tokens.n, &described);
    out->tokens.piece = described.piece;
    out->tokens.bytes = described.bytes;
    out->tokens.chars = described.chars;
    return SOURCE_TEXT;
}

struct source *source_stream(const struct session *session)
{
    struct source *source = arena_alloc(session->a, 1, sizeof *source);

    *source = (struct source){ .s = session, .name = session->asked->stream->name, .unit = "text",
                               .next = source_stream_next };
    return source;
}
