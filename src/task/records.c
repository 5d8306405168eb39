/* SPDX-License-Identifier: MIT
 * Rows that records of several commands share: a text, a head, tokens, links. */
#include "task/records.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "session/average.h"

const char *records_weights(struct arena *a, const struct model *m)
{
    return arena_printf(a, "%016" PRIx64, model_hash_weights(m));
}

struct records_text_id records_text_id(const struct session *s, const struct item *item)
{
    return (struct records_text_id){
        .index = item->index,
        .part = item->part - 1,
        .text = { item->text, item->text_size },
        .input = item->input,
        .pair = { item->pair, item->pair_size },
        .generated = { item->generated, item->generated_size },
        .n_generated = item->generated != NULL ? item->n_generated : -1,
        .model = s->name,
        .family = s->model != NULL ? s->model->family->name : NULL,
    };
}

const struct record *records_without_part(const struct session *s, const struct record *r)
{
    static const char *const names[] = { "part", NULL };

    return r != NULL && s->asked->split == NULL ? record_without(s->a, r, IN_ALL, names) : r;
}

const struct head_id *records_heads(const struct session *s, const struct wanted *want,
                                    struct arena *a, int *n)
{
    const struct config *config = &s->shown->config;
    struct head_id *id = arena_alloc(a, (uint64_t)config->n_layers * (uint64_t)config->n_heads,
                                     sizeof *id);

    *n = 0;
    for (int layer = 0, head = -1; session_next_head(s, want, &layer, &head);)
        id[(*n)++] = (struct head_id){ family_stack_names[s->stack], layer, head };
    return id;
}

const int *records_places(const struct session *s, const struct head_id *head, int n,
                          struct arena *a)
{
    int *place = arena_alloc(a, (size_t)n, sizeof *place);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            place[i] += session_rank(s, head[k].layer, head[k].head) <
                        session_rank(s, head[i].layer, head[i].head);
    return place;
}

const char *records_head_name(struct arena *a, const void *row)
{
    const struct head_id *id = row;

    if (id->layer < 0)
        return id->head < 0 ? "all" : arena_printf(a, "H%d", id->head);
    return id->head < 0 ? arena_printf(a, "L%d", id->layer) :
                          arena_printf(a, "L%dH%d", id->layer, id->head);
}

struct head_id records_head(const struct session *s, struct head_id id)
{
    if (session_averages(s, AVERAGE_LAYERS))
        id.layer = -1;
    if (session_averages(s, AVERAGE_HEADS))
        id.head = -1;
    return id;
}

static const char *interval(struct arena *a, double low, double high)
{
    return isnan(low) ? "-" : arena_printf(a, "%.3g to %.3g", low, high);
}

const char *records_interval(struct arena *a, const void *estimate)
{
    const struct summary_estimate *x = estimate;

    return interval(a, x->low, x->high);
}

const char *records_bootstrap(struct arena *a, const void *estimate)
{
    const struct summary_estimate *x = estimate;

    return interval(a, x->boot_low, x->boot_high);
}

const struct record *records_without_bootstrap(struct arena *a, const struct record *r)
{
    static const char *const names[] = { "bootstrap", "boot_low", "boot_high", NULL };

    return record_without(a, r, IN_ALL, names);
}

struct text_span records_label(const struct tokens *t, int i)
{
    return (struct text_span){ t->label[i], t->label_size[i] };
}

const char *records_token(struct arena *a, const struct tokens *t, int i)
{
    const char *text = t->label[i];
    size_t count = t->label_size[i];

    while (count > 1 && *text == ' ') {
        text++;
        count--;
    }
    if (count == 0 || (count == 1 && *text == ' '))
        return "␣";
    return report_clean(a, text, count);
}

const char *records_link(struct arena *a, const struct session *s, const struct item *item,
                         struct link link)
{
    if (link.key < 0)
        return NULL;
    return arena_printf(a, "%s(%d) → %s(%d)",
                        records_token(a, session_queries(s, item), link.query), link.query,
                        records_token(a, session_keys(s, item), link.key), link.key);
}

struct list records_pieces(const struct tokens *t)
{
    return (struct list){ t->piece, t->n };
}

struct list records_labels(struct arena *a, const struct tokens *t)
{
    struct text_span *label = arena_alloc(a, (size_t)t->n, sizeof *label);

    for (int i = 0; i < t->n; i++)
        label[i] = records_label(t, i);
    return (struct list){ label, t->n };
}

struct list records_ids(const struct tokens *t)
{
    return (struct list){ t->id, t->id != NULL ? t->n : -1 };
}
