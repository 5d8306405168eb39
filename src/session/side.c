/* SPDX-License-Identifier: MIT
 * The stack -> the sides of a text whose tokens are queries and keys. */
#include "session/texts.h"

const struct tokens *item_side(const struct item *item, enum item_side which)
{
    return which == SIDE_KEYS ? &item->keys :
           which == SIDE_TARGET ? &item->target : &item->tokens;
}

const char *item_part(struct arena *a, const struct item *item)
{
    return item->part > 0 ? arena_printf(a, ", part %d", item->part) : "";
}

static bool target_looks(const struct session *session)
{
    return session->model->decoder != NULL && session->stack != STACK_ENCODER;
}

static bool target_is_seen(const struct session *session)
{
    return session->model->decoder != NULL && session->stack == STACK_DECODER;
}

/* A bare layer's keys that are another input's. */
static bool memory_is_seen(const struct session *session)
{
    return session->model->decoder == NULL && session->stack == STACK_CROSS;
}

enum item_side session_query_side(const struct session *session)
{
    return target_looks(session) ? SIDE_TARGET : SIDE_SOURCE;
}

enum item_side session_key_side(const struct session *session)
{
    return memory_is_seen(session) ? SIDE_KEYS : target_is_seen(session) ? SIDE_TARGET :
           SIDE_SOURCE;
}
