/* SPDX-License-Identifier: MIT
 * What records of several commands have in common. */
#include "cmd/records.h"

#include <string.h>

struct records_text_id records_text_id(const struct session *s, const struct item *item)
{
    return (struct records_text_id){
        .index = item->index,
        .text = { item->text, item->text_size },
        .input = item->input,
        .pair = { item->pair, item->pair_size },
        .generated = { item->generated, item->generated_size },
        .n_generated = item->generated != NULL ? item->n_generated : -1,
        .model = s->model != NULL ? s->model->name : model_name(s->a, s->path),
        .family = s->model != NULL ? s->model->family->name : NULL,
    };
}

const char *records_head_name(struct arena *a, const void *row)
{
    const struct head_id *id = row;

    return arena_printf(a, "L%dH%d", id->layer, id->head);
}

struct list records_pieces(const struct tokens *t)
{
    return (struct list){ t->piece, t->n };
}

struct list records_labels(struct arena *a, const struct tokens *t)
{
    struct text_span *label = arena_alloc(a, (size_t)t->n, sizeof *label);

    for (int i = 0; i < t->n; i++)
        label[i] = (struct text_span){ t->label[i], t->label_size[i] };
    return (struct list){ label, t->n };
}

struct list records_ids(const struct tokens *t)
{
    return (struct list){ t->id, t->id != NULL ? t->n : -1 };
}
