/* SPDX-License-Identifier: MIT
 * Rows that records of several commands share: a text, a head, tokens, links. */
#include "task/common/records.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "session/shown/average.h"

const char *records_weights(struct arena *a, const struct model *model)
{
    return arena_printf(a, "%016" PRIx64, model_hash_weights(model));
}

struct records_text_id records_text_id(const struct session *session, const struct item *item)
{
    return (struct records_text_id){
        .index = item->index,
        .part = item->part - 1,
        .text = { item->text, item->text_size },
        .input = item->input,
        .pair = { item->pair, item->pair_size },
        .generated = { item->generated, item->generated_size },
        .n_generated = item->generated != NULL ? item->n_generated : -1,
        .model = session->name,
        .family = session->model != NULL ? session->model->family->name : NULL,
    };
}

const struct record *records_without_part(const struct session *session,
                                          const struct record *record)
{
    static const char *const names[] = { "part", NULL };

    return record != NULL && session->asked->split == NULL ? record_without(session->a, record,
                                                                            IN_ALL, names) : record;
}

const struct head_id *records_heads(const struct session *session, const struct wanted *want,
                                    struct arena *a, int *n)
{
    const struct config *config = &session->shown->config;
    struct head_id *id = arena_alloc(a, (uint64_t)config->n_layers * (uint64_t)config->n_heads,
                                     sizeof *id);

    *n = 0;
    for (int layer = 0, head = -1; session_next_head(session, want, &layer, &head);)
        id[(*n)++] = (struct head_id){ family_stack_names[session->stack], layer, head };
    return id;
}

const int *records_places(const struct session *session, const struct head_id *head, int n,
                          struct arena *a)
{
    int *place = arena_alloc(a, (size_t)n, sizeof *place);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            place[i] += session_rank(session, head[k].layer, head[k].head) <
                        session_rank(session, head[i].layer, head[i].head);
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

struct head_id records_head(const struct session *session, struct head_id id)
{
    if (session_averages(session, AVERAGE_LAYERS))
        id.layer = -1;
    if (session_averages(session, AVERAGE_HEADS))
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

const struct record *records_without_bootstrap(struct arena *a, const struct record *record)
{
    static const char *const names[] = { "bootstrap", "boot_low", "boot_high", NULL };

    return record_without(a, record, IN_ALL, names);
}

struct text_span records_label(const struct tokens *tokens, int i)
{
    return (struct text_span){ tokens->label[i], tokens->label_size[i] };
}

const char *records_token(struct arena *a, const struct tokens *tokens, int i)
{
    const char *text = tokens->label[i];
    size_t count = tokens->label_size[i];

    while (count > 1 && *text == ' ') {
        text++;
        count--;
    }
    if (count == 0 || (count == 1 && *text == ' '))
        return "␣";
    return report_clean(a, text, count);
}

const char *records_link(struct arena *a, const struct session *session, const struct item *item,
                         struct link link)
{
    if (link.key < 0)
        return NULL;
    return arena_printf(a, "%s(%d) → %s(%d)",
                        records_token(a, session_queries(session, item), link.query), link.query,
                        records_token(a, session_keys(session, item), link.key), link.key);
}

struct list records_pieces(const struct tokens *tokens)
{
    return (struct list){ tokens->piece, tokens->n };
}

struct list records_labels(struct arena *a, const struct tokens *tokens)
{
    struct text_span *label = arena_alloc(a, (size_t)tokens->n, sizeof *label);

    for (int i = 0; i < tokens->n; i++)
        label[i] = records_label(tokens, i);
    return (struct list){ label, tokens->n };
}

struct list records_ids(const struct tokens *tokens)
{
    return (struct list){ tokens->id, tokens->id != NULL ? tokens->n : -1 };
}
