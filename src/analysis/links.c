/* SPDX-License-Identifier: MIT
 * Rows of attention -> the strongest link of each, by a sink. */
#include "analysis/links.h"

#include "run/row.h"

struct links {
    struct arena *arena;
    struct slots slots;
    struct head_links *head;    /* a slot for each head */
};

static void links_start(void *self, size_t at, int text)
{
    struct links *links = self;
    int count = links->slots.texts.text[text].queries.n;

    links->head[at] = (struct head_links){
        .n_rows = count, .words = { -1, -1, 0 },
        .row = arena_alloc(links->arena, (size_t)count, sizeof(struct link)),
    };
    for (int i = 0; i < count; i++)
        links->head[at].row[i] = (struct link){ -1, -1, 0 };
}

struct links *links_new(struct arena *a, const struct model *model,
                        const struct attended *texts, const struct wanted *want)
{
    struct links *links = arena_alloc(a, 1, sizeof *links);

    *links = (struct links){ .arena = a, .slots = slots_of(model, texts, want) };
    links->head = arena_alloc(a, slots_count(&links->slots), sizeof *links->head);
    slots_each(&links->slots, links_start, links);
    return links;
}

/* One row of a block: weights over n_keys keys from key0. */
struct row {
    int query, key0, n_keys;
    const float *weight;
    const unsigned char *hidden;    /* NULL: none is */
};

static bool links_is_hidden(const struct row *row, int j)
{
    return row->hidden != NULL && row->hidden[j];
}

/* Of equal ones the first.  Hidden keys weigh nothing: they are passed at the start. */
static struct link links_strongest(const struct row *row)
{
    int best = 0;

    while (best < row->n_keys && links_is_hidden(row, best))
        best++;
    if (best == row->n_keys)
        return (struct link){ row->query, -1, 0 };
    best += row_strongest(row->weight + best, row->n_keys - best);
    return (struct link){ row->query, row->key0 + best, row->weight[best] };
}

static void take_words(struct link *words, const struct row *row,
                       const unsigned char *special, bool two_axes)
{
    float least = words->key < 0 ? -1 : words->weight;

    for (int j = 0; j < row->n_keys; j++) {
        int key = row->key0 + j;

        if (row->weight[j] > least && !links_is_hidden(row, j) &&
            (two_axes || key != row->query) && (special == NULL || !special[key])) {
            least = row->weight[j];
            *words = (struct link){ row->query, key, least };
        }
    }
}

static void links_take(void *self, const struct rows *rows, int n)
{
    struct links *links = self;
    const struct attended *texts = &links->slots.texts;
    const struct attended_text *text = &texts->text[rows->text];
    const unsigned char *query_special = text->queries.special;
    struct head_links *head =
        &links->head[slots_at(&links->slots, rows->text, rows->layer, rows->head)];

    (void)n;
    for (int t = 0; t < rows->n_rows; t++) {
        size_t at = (size_t)t * rows->stride;
        const struct row row = { rows->row0 + t, rows->key0, rows->n_keys,
                                 rows->weight + at,
                                 rows->hidden != NULL ? rows->hidden + at : NULL };
        struct link best = links_strongest(&row);

        head->row[row.query] = best;
        if ((query_special == NULL || !query_special[row.query]) &&
            (head->words.key < 0 || best.weight > head->words.weight))
            take_words(&head->words, &row, text->keys.special, texts->two_axes);
    }
}

/* Rows that did not come were left out. */
static void links_done(void *self, int text, int layer)
{
    struct links *links = self;

    for (int h = 0; h < links->slots.H; h++) {
        struct head_links *head = &links->head[slots_at(&links->slots, text, layer, h)];
        int count = 0;

        for (int i = 0; i < head->n_rows; i++)
            if (head->row[i].query >= 0)
                head->row[count++] = head->row[i];
        head->n_rows = count;
    }
}

struct sink links_sink(struct links *links)
{
    return (struct sink){ SINK_HEAD, links_take, links_done, links };
}

const struct head_links *links_head(const struct links *links, int text, int layer,
                                    int head)
{
    return &links->head[slots_at(&links->slots, text, layer, head)];
}
