/* SPDX-License-Identifier: MIT
 * Rows of attention -> sums of weights over heads, layers, or both, by a sink; their means as
 * rows. */
#include "analysis/average.h"

#include <assert.h>
#include <math.h>

#include "run/row.h"

/* The sums of one text. */
struct sums {
    struct average_size size;
    double **sum;               /* [layers or 1, heads or 1] each [n_queries, columns]; NaN: hidden
                                   so far; NULL: not wanted */
    double **single;            /* the same of one copy of each key; NULL: keys have one */
};

struct average {
    unsigned over;              /* enum average_over */
    int n_layers, n_heads;      /* of the means: 1 where they are averaged */
    int *count;                 /* [layers or 1, heads or 1] what is averaged there */
    int n_texts;
    struct sums *text;          /* [n_texts] */
};

/* Where the sum that a head goes to stands. */
static int average_place_of(const struct average *x, int layer, int head)
{
    return ((x->over & AVERAGE_LAYERS) != 0 ? 0 : layer) * x->n_heads +
           ((x->over & AVERAGE_HEADS) != 0 ? 0 : head);
}

static int columns_of(const struct average_size *size)
{
    return size->n_keys + size->with_sink;
}

static size_t cells_of(const struct average_size *size)
{
    return (size_t)size->n_queries * (size_t)columns_of(size);
}

static double *sum_new(struct arena *a, size_t n)
{
    double *sum = arena_alloc_raw(a, n, sizeof *sum);

    for (size_t k = 0; k < n; k++)
        sum[k] = NAN;
    return sum;
}

static void sums_new(const struct average *x, struct arena *a, struct sums *sums)
{
    int n = x->n_layers * x->n_heads;

    sums->sum = arena_alloc(a, (size_t)n, sizeof *sums->sum);
    sums->single = sums->size.with_single ? arena_alloc(a, (size_t)n, sizeof *sums->single) : NULL;
    for (int i = 0; i < n; i++)
        if (x->count[i] > 0) {
            sums->sum[i] = sum_new(a, cells_of(&sums->size));
            if (sums->single != NULL)
                sums->single[i] = sum_new(a, cells_of(&sums->size));
        }
}

struct average *average_new(struct arena *a, const struct model *model, const struct wanted *want,
                            unsigned over, const struct average_size *size, int n_texts)
{
    int L = model->config.n_layers, H = model->config.n_heads;
    struct average *average = arena_alloc(a, 1, sizeof *average);

    *average = (struct average){
        .over = over, .n_layers = (over & AVERAGE_LAYERS) != 0 ? 1 : L,
        .n_heads = (over & AVERAGE_HEADS) != 0 ? 1 : H, .n_texts = n_texts,
        .text = arena_alloc(a, (size_t)n_texts, sizeof *average->text),
    };
    average->count = arena_alloc(a, (size_t)average->n_layers,
                                 (size_t)average->n_heads * sizeof(int));
    for (int l = 0; l < L; l++)
        for (int h = 0; h < H; h++)
            average->count[average_place_of(average, l, h)] += wanted_layer(want, l) &&
                                                               wanted_head(want, l, h);
    for (int i = 0; i < n_texts; i++) {
        average->text[i].size = size[i];
        sums_new(average, a, &average->text[i]);
    }
    return average;
}

/* ---- the sink ---- */

static void average_add_row(double *sum, const float *weight, const unsigned char *hidden, int n)
{
    for (int j = 0; j < n; j++)
        if (!isnan(weight[j]) && (hidden == NULL || !hidden[j]))
            sum[j] = (isnan(sum[j]) ? 0.0 : sum[j]) + (double)weight[j];
}

/* Adds these weights of a block of rows. */
static void add_rows(double *sum, const struct average_size *size, const struct rows *rows,
                     const float *weight)
{
    for (int t = 0; t < rows->n_rows; t++) {
        size_t at = (size_t)t * rows->stride;
        double *row = sum + (size_t)(rows->row0 + t) * (size_t)columns_of(size);

        average_add_row(row + rows->key0, weight + at,
                        rows->hidden != NULL ? rows->hidden + at : NULL, rows->n_keys);
        if (rows->null_mass != NULL && size->with_sink) {
            float taken = (float)rows->null_mass[t];

            average_add_row(row + size->n_keys, &taken, NULL, 1);
        }
    }
}

static void take_head(struct average *x, const struct rows *rows)
{
    const struct sums *sums = &x->text[rows->text];
    int i = average_place_of(x, rows->layer, rows->head);

    add_rows(sums->sum[i], &sums->size, rows, rows->weight);
    if (sums->single != NULL)
        add_rows(sums->single[i], &sums->size, rows,
                 rows->single != NULL ? rows->single : rows->weight);
}

/* One head, or the same rows of all heads of a layer. */
static void average_take(void *self, const struct rows *rows, int n)
{
    struct average *average = self;

    if ((average->over & AVERAGE_HEADS) == 0)
        n = 1;
    for (int i = 0; i < n; i++)
        take_head(average, &rows[i]);
}

struct sink average_sink(struct average *average)
{
    return (struct sink){ (average->over & AVERAGE_HEADS) != 0 ? SINK_LAYER : SINK_HEAD,
                          average_take, NULL, average };
}

/* ---- over texts ---- */

struct average *average_texts_new(struct arena *a, const struct average *of)
{
    struct average *average = arena_alloc(a, 1, sizeof *average);
    int n = of->n_layers * of->n_heads;

    *average = *of;
    average->n_texts = 1;
    average->text = arena_alloc(a, 1, sizeof *average->text);
    average->text->size = of->text->size;
    sums_new(of, a, average->text);
    average->count = arena_alloc(a, (size_t)n, sizeof *average->count);
    return average;
}

/* Adds the mean of n cells; from NULL: not wanted. */
static void add_mean(double *sum, const double *from, size_t n, int count)
{
    for (size_t k = 0; from != NULL && k < n; k++)
        if (!isnan(from[k]))
            sum[k] = (isnan(sum[k]) ? 0.0 : sum[k]) + from[k] / count;
}

void average_add(struct average *to, const struct average *of)
{
    const struct sums *from = of->text;
    size_t n = cells_of(&from->size);

    for (int i = 0; i < of->n_layers * of->n_heads; i++) {
        add_mean(to->text->sum[i], from->sum[i], n, of->count[i]);
        if (from->single != NULL)
            add_mean(to->text->single[i], from->single[i], n, of->count[i]);
        to->count[i] += from->sum[i] != NULL;
    }
}

/* ---- means as rows ---- */

/* Row t of the mean of place i: rows->weight, hidden, entropy, n_visible and null_mass are those
 * that it points to. */
struct row_of {
    float *weight, *single;     /* [n_keys]; single NULL: keys have one copy */
    unsigned char *hidden;      /* [n_keys] */
    double entropy, null_mass;
    int n_visible;
};

static void fill_row(const struct average *x, const struct sums *sums, int i, int t,
                     struct row_of *row)
{
    int n = sums->size.n_keys;
    const double *sum = sums->sum[i] + (size_t)t * (size_t)columns_of(&sums->size);

    row->n_visible = 0;
    for (int k = 0; k < n; k++) {
        row->hidden[k] = (unsigned char)(isnan(sum[k]) != 0);
        row->weight[k] = row->hidden[k] ? 0.0f : (float)(sum[k] / x->count[i]);
        row->n_visible += !row->hidden[k];
        if (row->single != NULL)
            row->single[k] = row->hidden[k] ? 0.0f :
                             (float)(sums->single[i][(size_t)t * (size_t)columns_of(&sums->size) +
                                                     (size_t)k] / x->count[i]);
    }
    row->entropy = row_entropy(row->weight, n);
    row->null_mass = sums->size.with_sink && !isnan(sum[n]) ? sum[n] / x->count[i] : 0.0;
}

static struct rows rows_of(const struct average_size *size, int text, int stack, int layer,
                           int head, int t, const struct row_of *row)
{
    return (struct rows){
        .text = text, .stack = stack, .layer = layer, .head = head, .row0 = t, .n_rows = 1,
        .n_keys = size->n_keys, .n_queries = size->n_queries, .n_all_keys = size->n_keys,
        .stride = (size_t)size->n_keys, .weight = row->weight, .single = row->single,
        .hidden = row->hidden,
        .n_visible = &row->n_visible, .entropy = &row->entropy,
        .null_mass = size->with_sink ? &row->null_mass : NULL,
    };
}

/* Rows t of the wanted heads of a layer, to all sinks. */
static void feed_rows(const struct rows *rows, int n, const struct sink *sinks, int n_sinks)
{
    for (int k = 0; k < n_sinks; k++) {
        assert(sinks[k].scope != SINK_TEXTS);
        if (sinks[k].scope == SINK_LAYER)
            sinks[k].take(sinks[k].self, rows, n);
        for (int i = 0; sinks[k].scope == SINK_HEAD && i < n; i++)
            sinks[k].take(sinks[k].self, &rows[i], 1);
    }
}

void average_feed(const struct average *average, int text, struct arena *a, int stack,
                  const struct wanted *want, const struct sink *sinks, int n_sinks)
{
    const struct sums *sums = &average->text[text];
    int H = average->n_heads;
    struct row_of *row = arena_alloc(a, (size_t)H, sizeof *row);
    struct rows *rows = arena_alloc(a, (size_t)H, sizeof *rows);

    for (int h = 0; h < H; h++) {
        row[h].weight = arena_alloc_raw(a, (size_t)sums->size.n_keys, sizeof(float));
        row[h].single = sums->single == NULL ? NULL :
                        arena_alloc_raw(a, (size_t)sums->size.n_keys, sizeof(float));
        row[h].hidden = arena_alloc_raw(a, (size_t)sums->size.n_keys, 1);
    }
    for (int l = 0; l < average->n_layers; l++) {
        if (!wanted_layer(want, l))
            continue;
        for (int t = 0; t < sums->size.n_queries; t++) {
            int n = 0;

            for (int h = 0; h < H; h++)
                if (wanted_head(want, l, h) && sums->sum[l * H + h] != NULL) {
                    fill_row(average, sums, l * H + h, t, &row[n]);
                    rows[n] = rows_of(&sums->size, text, stack, l, h, t, &row[n]);
                    n++;
                }
            feed_rows(rows, n, sinks, n_sinks);
        }
        for (int k = 0; k < n_sinks; k++)
            if (sinks[k].done != NULL)
                sinks[k].done(sinks[k].self, text, l);
    }
}

double average_bytes(unsigned over, const struct average_size *size, int n_layers, int n_heads)
{
    double n = ((over & AVERAGE_LAYERS) != 0 ? 1.0 : n_layers) *
               ((over & AVERAGE_HEADS) != 0 ? 1.0 : n_heads);

    return over == 0 ? 0.0 : ((over & AVERAGE_TEXTS) != 0 ? 2.0 : 1.0) *
                             (size->with_single ? 2.0 : 1.0) * n *
                                 (double)cells_of(size) * sizeof(double);
}
