/* SPDX-License-Identifier: MIT
 * Rows of attention -> sums of weights over heads, layers, or both, by a sink. */
#include "analysis/average.h"

#include <math.h>

struct average {
    enum average_over over;
    int n_keys;
    size_t n_cells;
    double **sum;               /* [layers, heads or 1] each [n_queries, n_keys]; NaN: hidden so
                                   far; NULL: not wanted */
    int *count;                 /* [layers, heads or 1] what is averaged there */
    float *mean;                /* [n_queries, n_keys] */
};

/* Where the sum that a head goes to stands. */
static int place_of(enum average_over over, int layer, int head)
{
    return over == OVER_HEADS ? layer : over == OVER_LAYERS ? head : 0;
}

static void start_sum(struct average *x, struct arena *a, int i)
{
    x->count[i]++;
    if (x->sum[i] != NULL)
        return;
    x->sum[i] = arena_alloc_raw(a, x->n_cells, sizeof **x->sum);
    for (size_t k = 0; k < x->n_cells; k++)
        x->sum[i][k] = NAN;
}

struct average *average_new(struct arena *a, const struct model *m, const struct wanted *want,
                            enum average_over over, int n_queries, int n_keys)
{
    int L = m->config.n_layers, H = m->config.n_heads;
    int count = place_of(over, L - 1, H - 1) + 1;
    struct average *average = arena_alloc(a, 1, sizeof *average);

    *average = (struct average){
        .over = over, .n_keys = n_keys, .n_cells = (size_t)n_queries * (size_t)n_keys,
        .sum = arena_alloc(a, (size_t)count, sizeof(double *)),
        .count = arena_alloc(a, (size_t)count, sizeof(int)),
    };
    average->mean = arena_alloc_raw(a, average->n_cells, sizeof *average->mean);
    for (int l = 0; l < L; l++)
        for (int h = 0; h < H; h++)
            if (wanted_layer(want, l) && wanted_head(want, l, h))
                start_sum(average, a, place_of(over, l, h));
    return average;
}

static void add_row(double *sum, const float *weight, const unsigned char *hidden, int n)
{
    for (int j = 0; j < n; j++)
        if (!isnan(weight[j]) && (hidden == NULL || !hidden[j]))
            sum[j] = (isnan(sum[j]) ? 0.0 : sum[j]) + (double)weight[j];
}

static void take_head(struct average *x, const struct rows *rows)
{
    double *sum = x->sum[place_of(x->over, rows->layer, rows->head)];

    for (int t = 0; t < rows->n_rows; t++) {
        size_t at = (size_t)t * rows->stride;
        size_t row = (size_t)(rows->row0 + t) * (size_t)x->n_keys + (size_t)rows->key0;

        add_row(sum + row, rows->weight + at, rows->hidden != NULL ? rows->hidden + at : NULL,
                rows->n_keys);
        if (rows->null_mass != NULL && x->n_keys > rows->n_all_keys) {
            float taken = (float)rows->null_mass[t];

            add_row(sum + row - rows->key0 + rows->n_all_keys, &taken, NULL, 1);
        }
    }
}

/* One head, or the same rows of all heads of a layer. */
static void take(void *self, const struct rows *rows, int n)
{
    struct average *average = self;

    if (average->over == OVER_LAYERS)
        n = 1;
    for (int i = 0; i < n; i++)
        take_head(average, &rows[i]);
}

struct sink average_sink(struct average *average)
{
    return (struct sink){ average->over == OVER_LAYERS ? SINK_HEAD : SINK_LAYER, take, NULL,
                          average };
}

const float *average_of(const struct average *average, int i)
{
    for (size_t k = 0; k < average->n_cells; k++)
        average->mean[k] = (float)(average->sum[i][k] / average->count[i]);
    return average->mean;
}
