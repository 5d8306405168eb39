/* SPDX-License-Identifier: MIT
 * Rows of attention -> the strongest links of each row and head, by a sink. */
#include "analysis/strong.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one head has so far. */
struct head {
    int n;
    int64_t n_all, n_rows;
    double sink;                /* what it takes of all rows */
    struct strong_link *link;   /* [2 most]: cut to the strongest when it is full */
    struct strong_link *row;    /* [n_keys + 1] to sort a row in */
};

struct strong {
    struct arena *arena;
    struct strong_rule rule;
    int H, n_heads;
    int *slot;                  /* [L, H] -> head; -1: not asked for */
    struct head *head;          /* [n_heads] */
};

struct strong *strong_new(struct arena *a, const struct model *model, const struct wanted *want,
                          const struct strong_rule *rule)
{
    struct strong *strong = arena_alloc(a, 1, sizeof *strong);
    int L = model->config.n_layers, H = model->config.n_heads;

    *strong = (struct strong){ .arena = a, .rule = *rule, .H = H };
    strong->slot = arena_alloc(a, (size_t)L, (size_t)H * sizeof *strong->slot);
    for (int l = 0; l < L; l++)
        for (int h = 0; h < H; h++)
            strong->slot[l * H + h] = wanted_layer(want, l) && wanted_head(want, l, h) ?
                                          strong->n_heads++ : -1;
    strong->head = arena_alloc(a, (size_t)strong->n_heads, sizeof *strong->head);
    for (int i = 0; i < strong->n_heads; i++) {
        struct head *head = &strong->head[i];

        head->link = arena_alloc_raw(a, 2 * (size_t)rule->most, sizeof *head->link);
        head->row = arena_alloc_raw(a, (size_t)rule->n_keys + 1, sizeof *head->row);
    }
    return strong;
}

/* The stronger one first: a total order, so that sorting has one result. */
static int strong_compare(const void *first, const void *second)
{
    const struct strong_link *x = first, *y = second;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->head > y->head) - (x->head < y->head);
}

static void sort(struct strong_link *link, int n)
{
    qsort(link, (size_t)n, sizeof *link, strong_compare);
}

/* One that is shown counts in *sum, also if it is too weak to be kept. */
static void strong_add(const struct strong_rule *rule, struct head *head, int *n,
                       struct strong_link of, double *sum)
{
    if (of.key < 0 || !(of.weight > 0.0f))
        return;
    *sum += of.weight;
    if (of.weight >= rule->least)
        head->row[(*n)++] = of;
}

static void strong_keep(const struct strong_rule *rule, struct head *head,
                        const struct strong_link *link)
{
    if (head->n == 2 * rule->most) {
        sort(head->link, head->n);
        head->n = rule->most;
    }
    head->link[head->n++] = *link;
    head->n_all++;
}

/* What is shown of a row, to head->row; *sum: of its weights. */
static int strong_gather(const struct strong_rule *rule, struct head *head, const struct rows *rows,
                         int t, struct strong_link of, double *sum)
{
    const float *weight = rows->weight + (size_t)t * rows->stride;
    const unsigned char *hidden = rows->hidden != NULL ?
                                      rows->hidden + (size_t)t * rows->stride : NULL;
    int n = 0;

    *sum = 0.0;
    for (int j = 0; j < rows->n_keys; j++) {
        of.key = rule->col[rows->key0 + j];
        of.weight = weight[j];
        if (hidden == NULL || !hidden[j])
            strong_add(rule, head, &n, of, sum);
    }
    if (rows->null_mass != NULL) {
        head->sink += rows->null_mass[t];
        of.key = rule->sink;
        of.weight = (float)rows->null_mass[t];
        strong_add(rule, head, &n, of, sum);
    }
    return n;
}

static void strong_take_row(const struct strong *strong, const struct rows *rows, int t, int slot)
{
    struct head *head = &strong->head[slot];
    int row = strong->rule.row[rows->row0 + t];
    double sum, held = 0.0;
    int n;

    if (row < 0)
        return;
    head->n_rows++;
    n = strong_gather(&strong->rule, head, rows, t,
                      (struct strong_link){ .query = row, .head = slot }, &sum);
    sort(head->row, n);
    for (int i = 0; i < n && (strong->rule.share >= 1.0 || held < strong->rule.share * sum); i++) {
        strong_keep(&strong->rule, head, &head->row[i]);
        held += head->row[i].weight;
    }
}

static void strong_take(void *self, const struct rows *rows, int n)
{
    const struct strong *strong = self;
    int slot = strong->slot[rows->layer * strong->H + rows->head];

    (void)n;
    for (int t = 0; slot >= 0 && t < rows->n_rows; t++)
        strong_take_row(strong, rows, t, slot);
}

struct sink strong_sink(struct strong *strong)
{
    return (struct sink){ SINK_HEAD, strong_take, NULL, strong };
}

struct strong_links strong_end(struct strong *strong)
{
    struct strong_links all = { .n = 0 };
    struct strong_link *link;
    int64_t n_rows = 0;
    int count = 0;

    for (int i = 0; i < strong->n_heads; i++) {
        count += strong->head[i].n;
        n_rows += strong->head[i].n_rows;
        all.sink_share += strong->head[i].sink;
    }
    all.sink_share /= n_rows > 0 ? (double)n_rows : 1.0;
    link = arena_alloc_raw(strong->arena, (size_t)count, sizeof *link);
    count = 0;
    for (int i = 0; i < strong->n_heads; i++) {
        const struct head *head = &strong->head[i];

        if (head->n > 0)
            memcpy(link + count, head->link, (size_t)head->n * sizeof *link);
        count += head->n;
        all.n_all += head->n_all;
    }
    sort(link, count);
    all.n = count < strong->rule.most ? count : strong->rule.most;
    for (int i = 0, j = all.n - 1; i < j; i++, j--) {
        struct strong_link swap = link[i];

        link[i] = link[j];
        link[j] = swap;
    }
    all.link = link;
    return all;
}
