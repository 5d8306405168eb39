/* SPDX-License-Identifier: MIT
 * TEXT and TEXT_B, or --ids -> one text. */
#include <string.h>

#include "base/list.h"
#include "session/encode.h"
#include "session/source/source.h"

struct one {
    struct source source;
    struct operand operand[2];  /* text NULL: none */
    int n_taken;
};

static struct source *new_one(const struct session *session,
                              int (*next)(struct source *self, struct arena *a,
                                          struct item *out, struct err *e))
{
    struct one *one = arena_alloc(session->a, 1, sizeof *one);

    one->source = (struct source){ .s = session, .n = 1, .next = next };
    return &one->source;
}

static int next_text(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct one *one = (struct one *)self;

    if (one->n_taken == one->source.n)
        return SOURCE_END;
    out->index = one->n_taken;
    out->text = one->operand[one->n_taken].text;
    out->text_size = one->operand[one->n_taken].size;
    if (one->source.n == 1) {
        out->pair = one->operand[1].text;
        out->pair_size = one->operand[1].size;
    }
    one->n_taken++;
    return encode_text(self->s, a, out, e) == 0 ? SOURCE_TEXT : SOURCE_FAILED;
}

static struct operand operand_of(const char *text)
{
    return (struct operand){ text, text != NULL ? strlen(text) : 0 };
}

/* The model's own, for its decoder too where nothing else is said of that. */
static void own_text(const struct session *session, struct operand out[2])
{
    if (session->model == NULL)
        return;
    out[0] = operand_of(session->model->config.card.text);
    if (session->model->decoder != NULL && session->rules == NULL &&
        session->asked->decoder_ids == NULL)
        out[1] = operand_of(session->model->config.card.pair);
}

struct source *source_text(const struct session *session, int n_operands,
                           const struct operand *operands, struct err *e)
{
    struct source *source = new_one(session, next_text);
    struct one *one = (struct one *)source;

    for (int i = 0; i < n_operands && i < 2; i++)
        one->operand[i] = operands[i];
    if (session->asked->apart && n_operands == 2)
        source->n = 2;
    if (n_operands == 0)
        own_text(session, one->operand);
    if (one->operand[0].text != NULL)
        return source;
    err_set(e, ERR_USAGE, "expected a TEXT, -f FILE or --ids");
    return NULL;
}

static int next_ids(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct one *one = (struct one *)self;
    const struct asked *asked = self->s->asked;
    struct json_ids ids, types = { .id = NULL };

    if (one->n_taken++ > 0)
        return SOURCE_END;
    if (list_parse_ids(a, "--ids", asked->ids, &ids.id, &ids.n, e) != 0)
        return SOURCE_FAILED;
    if (asked->type_ids != NULL &&
        list_parse_ids(a, "--type-ids", asked->type_ids, &types.id, &types.n, e) != 0)
        return SOURCE_FAILED;
    return encode_ids(self->s, a, &ids, &types, ERR_USAGE, out, e) == 0 ? SOURCE_TEXT
                                                                        : SOURCE_FAILED;
}

struct source *source_ids(const struct session *session)
{
    return new_one(session, next_ids);
}
