/* SPDX-License-Identifier: MIT
 * Rows of attention -> the strongest links of each head, in order, by a sink. */
#include "analysis/top.h"

struct top {
    struct arena *arena;
    struct slots slots;
    struct head_top *head;      /* a slot for each head */
    int most;                   /* links to keep */
};

/* As many as are asked for, or all that there are; and room for one more. */
static void top_start(void *self, size_t at, int text)
{
    struct top *top = self;
    const struct attended_text *attended_text = &top->slots.texts.text[text];
    size_t all = (size_t)attended_text->queries.n * (size_t)attended_text->keys.n;
    size_t count = (size_t)top->most < all ? (size_t)top->most : all;

    top->head[at].link = arena_alloc(top->arena, count + 1, sizeof(struct link));
}

struct top *top_new(struct arena *a, const struct model *model, const struct attended *texts,
                    const struct wanted *want, int n_links)
{
    struct top *top = arena_alloc(a, 1, sizeof *top);

    *top = (struct top){ .arena = a, .slots = slots_of(model, texts, want), .most = n_links };
    top->head = arena_alloc(a, slots_count(&top->slots), sizeof *top->head);
    slots_each(&top->slots, top_start, top);
    return top;
}

static bool heavier(struct link x, struct link y)
{
    if (x.weight != y.weight)
        return x.weight > y.weight;
    return x.query != y.query ? x.query < y.query : x.key < y.key;
}

static void offer(struct head_top *head, int most, struct link x)
{
    int i = head->n;

    if (i == most && !heavier(x, head->link[i - 1]))
        return;
    for (; i > 0 && heavier(x, head->link[i - 1]); i--)
        head->link[i] = head->link[i - 1];
    head->link[i] = x;
    if (head->n < most)
        head->n++;
}

static void top_take(void *self, const struct rows *rows, int n)
{
    struct top *top = self;
    struct head_top *head =
        &top->head[slots_at(&top->slots, rows->text, rows->layer, rows->head)];

    (void)n;
    for (int t = 0; t < rows->n_rows && top->most > 0; t++) {
        const float *weight = rows->weight + (size_t)t * rows->stride;
        const unsigned char *hidden =
            rows->hidden != NULL ? rows->hidden + (size_t)t * rows->stride : NULL;

        for (int j = 0; j < rows->n_keys; j++)
            if ((head->n < top->most || weight[j] > head->link[top->most - 1].weight) &&
                (hidden == NULL || !hidden[j]))
                offer(head, top->most, (struct link){ rows->row0 + t, rows->key0 + j,
                                                      weight[j] });
    }
}

struct sink top_sink(struct top *top)
{
    return (struct sink){ SINK_HEAD, top_take, NULL, top };
}

const struct head_top *top_head(const struct top *top, int text, int layer, int head)
{
    return &top->head[slots_at(&top->slots, text, layer, head)];
}
