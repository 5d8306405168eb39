/* SPDX-License-Identifier: MIT
 * Tokenised texts, packed for a pass. */
#include <assert.h>
#include <string.h>

#include "session/texts.h"

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
                 struct batch *batch)
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
    *batch = (struct batch){ .n_texts = n, .start = start, .id = id, .type = type,
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

static void pack_memory(struct texts *texts, struct arena *a, const struct item *items, int n)
{
    int *start;

    texts->memory = (struct memory){ .x = NULL };
    if (n == 0 || items[0].memory.x == NULL)
        return;
    start = arena_alloc(a, (size_t)n + 1, sizeof *start);
    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + (int)items[i].memory.dim[0];
    pack(a, items, n, SIDE_KEYS, &texts->keys);
    texts->memory.start = start;
    texts->memory.x = rows_of(a, items, n, start, false);
    if (items[0].memory_values.x != NULL)
        texts->memory.v = rows_of(a, items, n, start, true);
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

void texts_pack(struct texts *texts, struct arena *a, const struct item *items, int n)
{
    int64_t *number = arena_alloc(a, (size_t)n, sizeof *number);

    for (int i = 0; i < n; i++) {
        assert(!items[i].open);
        number[i] = items[i].index;
    }
    texts->item = items;
    texts->number = number;
    pack(a, items, n, SIDE_SOURCE, &texts->source);
    texts->source.global = pack_global(a, items, n, texts->source.start);
    texts->source.box = pack_boxes(a, items, n, texts->source.start);
    pack(a, items, n, SIDE_TARGET, &texts->target);
    pack_memory(texts, a, items, n);
}
