/* SPDX-License-Identifier: MIT
 * Tokenised texts -> the tokens that look and that are looked at. */
#include <string.h>

#include "run/special/front.h"
#include "session/shown/average.h"
#include "session/shown/mark.h"

static const struct tokens *shown(const struct item *item, enum item_side which)
{
    return item->shown[which].words.n > 0 ? &item->shown[which].words :
                                            item_side(item, which);
}

const struct tokens *session_queries(const struct session *session, const struct item *item)
{
    return shown(item, session_query_side(session));
}

const struct tokens *session_keys(const struct session *session, const struct item *item)
{
    return shown(item, session_key_side(session));
}

bool session_has_sinks(const struct session *session, const struct wanted *want)
{
    const struct model *m = session->average != NULL ? session->average->of : session->shown;

    return session->stack != STACK_CROSS && model_has_sinks(m) &&
           want->weighting == WEIGHTING_PLAIN;
}

static struct token_list token_list(const struct session *session, const struct item *item,
                                    enum item_side which, struct arena *a)
{
    const struct tokens *t = shown(item, which);
    bool picture = session->model->family->front == FRONT_PATCH && item->values.x != NULL;

    return (struct token_list){ t->n, t->id, t->piece, t->special, t->type,
                                mark_tokens(session, item, which, a),
                                picture ? front_patch_columns(session->model,
                                                              item->values.dim[2]) : 0,
                                picture ? front_learnt_rows(session->model) : 0 };
}

struct attended session_attended(const struct session *session, const struct texts *texts,
                                 struct arena *a)
{
    int count = texts->source.n_texts;
    struct attended_text *text = arena_alloc(a, (size_t)count, sizeof *text);

    for (int i = 0; i < count; i++) {
        text[i].queries = token_list(session, &texts->item[i], session_query_side(session), a);
        text[i].keys = token_list(session, &texts->item[i], session_key_side(session), a);
    }
    return (struct attended){ count, text, session->stack == STACK_CROSS };
}
