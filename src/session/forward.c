/* SPDX-License-Identifier: MIT
 * Tokenised texts -> a pass over the model, or over its encoder, then its decoder. */
#include <assert.h>
#include <string.h>

#include "run/pair.h"
#include "session/shown.h"
#include "run/front.h"
#include "session/mark.h"
#include "session/stream.h"

/* ---- packing ---- */

static struct values values_of(const struct item *item, enum item_side which)
{
    return which == SIDE_SOURCE ? item->values :
           which == SIDE_TARGET ? item->target_values : (struct values){ .x = NULL };
}

/* The arrays of texts that have no ids; NULL: they have. */
static const struct values *arrays(struct arena *a, const struct item *items, int n,
                                   enum item_side which)
{
    struct values *values;

    if (n == 0 || values_of(&items[0], which).x == NULL)
        return NULL;
    values = arena_alloc(a, (size_t)n, sizeof *values);
    for (int i = 0; i < n; i++)
        values[i] = values_of(&items[i], which);
    return values;
}

static void pack(struct arena *a, const struct item *items, int n, enum item_side which,
                 struct batch *b)
{
    int *start = arena_alloc(a, (size_t)n + 1, sizeof *start), *id, *type;

    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + item_side(&items[i], which)->n;
    id = arena_alloc(a, (size_t)start[n], sizeof *id);
    type = arena_alloc(a, (size_t)start[n], sizeof *type);
    for (int i = 0; i < n; i++) {
        const struct tokens *tokens = item_side(&items[i], which);

        if (tokens->n == 0)
            continue;
        if (tokens->id != NULL)
            memcpy(id + start[i], tokens->id, (size_t)tokens->n * sizeof *id);
        memcpy(type + start[i], tokens->type, (size_t)tokens->n * sizeof *type);
    }
    *b = (struct batch){ .n_texts = n, .start = start, .id = id, .type = type,
                         .values = arrays(a, items, n, which) };
}

/* The rows of one array each, below each other. */
static const float *rows_of(struct arena *a, const struct item *items, int n,
                            const int *start, bool values)
{
    int64_t width = values ? items[0].memory_values.dim[1] : items[0].memory.dim[1];
    float *all = arena_alloc_raw(a, (size_t)start[n], (size_t)width * sizeof *all);

    for (int i = 0; i < n; i++)
        memcpy(all + start[i] * width,
               values ? items[i].memory_values.x : items[i].memory.x,
               (size_t)((start[i + 1] - start[i]) * width) * sizeof *all);
    return all;
}

static void pack_memory(struct texts *t, struct arena *a, const struct item *items, int n)
{
    int *start;

    t->memory = (struct memory){ .x = NULL };
    if (n == 0 || items[0].memory.x == NULL)
        return;
    start = arena_alloc(a, (size_t)n + 1, sizeof *start);
    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + (int)items[i].memory.dim[0];
    pack(a, items, n, SIDE_KEYS, &t->keys);
    t->memory.start = start;
    t->memory.x = rows_of(a, items, n, start, false);
    if (items[0].memory_values.x != NULL)
        t->memory.v = rows_of(a, items, n, start, true);
}

static const unsigned char *pack_global(struct arena *a, const struct item *items, int n,
                                        const int *start)
{
    unsigned char *global = NULL;

    for (int i = 0; i < n; i++) {
        if (items[i].global == NULL)
            continue;
        if (global == NULL)
            global = arena_alloc(a, (size_t)start[n], 1);
        memcpy(global + start[i], items[i].global, (size_t)items[i].tokens.n);
    }
    return global;
}

static const int *pack_boxes(struct arena *a, const struct item *items, int n, const int *start)
{
    int *box = NULL;

    for (int i = 0; i < n; i++) {
        if (items[i].box == NULL)
            continue;
        if (box == NULL)
            box = arena_alloc(a, (size_t)start[n], 4 * sizeof *box);
        memcpy(box + 4 * (size_t)start[i], items[i].box,
               4 * (size_t)items[i].tokens.n * sizeof *box);
    }
    return box;
}

void texts_pack(struct texts *t, struct arena *a, const struct item *items, int n)
{
    int64_t *number = arena_alloc(a, (size_t)n, sizeof *number);

    for (int i = 0; i < n; i++) {
        assert(!items[i].open);
        number[i] = items[i].index;
    }
    t->item = items;
    t->number = number;
    pack(a, items, n, SIDE_SOURCE, &t->source);
    t->source.global = pack_global(a, items, n, t->source.start);
    t->source.box = pack_boxes(a, items, n, t->source.start);
    pack(a, items, n, SIDE_TARGET, &t->target);
    pack_memory(t, a, items, n);
}

/* ---- who looks at whom ---- */

static const struct tokens *shown(const struct item *item, enum item_side which)
{
    return item->shown[which].words.n > 0 ? &item->shown[which].words :
                                            item_side(item, which);
}

const struct tokens *session_queries(const struct session *s, const struct item *item)
{
    return shown(item, session_query_side(s));
}

const struct tokens *session_keys(const struct session *s, const struct item *item)
{
    return shown(item, session_key_side(s));
}

bool session_has_sinks(const struct session *s, const struct wanted *want)
{
    return s->stack != STACK_CROSS && model_has_sinks(s->shown) &&
           want->weighting == WEIGHTING_PLAIN;
}

static struct token_list token_list(const struct session *s, const struct item *item,
                                    enum item_side which, struct arena *a)
{
    const struct tokens *t = shown(item, which);
    bool picture = s->model->family->front == FRONT_PATCH && item->values.x != NULL;

    return (struct token_list){ t->n, t->id, t->piece, t->special, t->type,
                                mark_tokens(s, item, which, a),
                                picture ? front_patch_columns(s->model, item->values.dim[2]) : 0,
                                picture ? front_learnt_rows(s->model) : 0 };
}

struct attended session_attended(const struct session *s, const struct texts *t,
                                 struct arena *a)
{
    int count = t->source.n_texts;
    struct attended_text *text = arena_alloc(a, (size_t)count, sizeof *text);

    for (int i = 0; i < count; i++) {
        text[i].queries = token_list(s, &t->item[i], session_query_side(s), a);
        text[i].keys = token_list(s, &t->item[i], session_key_side(s), a);
    }
    return (struct attended){ count, text, s->stack == STACK_CROSS };
}

/* ---- the pass ---- */

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

int session_forward(const struct session *s, const struct texts *t,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e)
{
    struct wanted numbered = *want;
    bool target = session_query_side(s) == SIDE_TARGET;
    struct change change;
    struct resume resume;

    n_sinks = shown_sinks(s, t, a, &sinks, n_sinks);
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
