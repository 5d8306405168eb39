/* SPDX-License-Identifier: MIT
 * Attention rollout and flow: the share of each input token in each token above the last layer, if
 * a layer mixes tokens as
 *
 *     Â = (mean of its heads' a + 1) / row sums
 *
 * Source: Abnar and Zuidema 2020. */
#include <string.h>

#include "analysis/flow.h"
#include "analysis/metric.h"

enum { FLOW_MOST = 64 };        /* tokens: its time grows by the fourth power of them */

/* The layers so far. */
struct mixing {
    int n, n_layers;            /* n_layers: of which there were rows */
    int layer;                  /* the last of them */
    double *mixed, *below;      /* [n, n] the product of all, and without the last */
    double *row;                /* [n] of the layer's own */
    double *capacity;           /* [L, n, n] each layer's; NULL: it is not kept */
    double *flow;               /* [n, n] */
};

static size_t mixing_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct mixing);
}

/* The identity. */
static double *square(struct arena *a, int n)
{
    double *x = arena_alloc(a, (uint64_t)n * (uint64_t)n, sizeof *x);

    for (int i = 0; i < n; i++)
        x[(size_t)i * (size_t)n + (size_t)i] = 1;
    return x;
}

static void rollout_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct mixing *all = state;

    *all = (struct mixing){ .n = shape->n_keys, .layer = -1 };
    all->mixed = square(a, all->n);
    all->below = square(a, all->n);
    all->row = arena_alloc(a, (uint64_t)all->n, sizeof *all->row);
}

static void flow_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct mixing *all = state;

    rollout_start(state, shape, a);
    if (all->n > FLOW_MOST)
        return;
    all->capacity = arena_alloc(a, (uint64_t)shape->n_layers,
                                (uint64_t)all->n * (uint64_t)all->n * sizeof(double));
    all->flow = square(a, all->n);
}

/* A row that no head has stays what it is below. */
static void next_layer(struct mixing *all, int layer)
{
    size_t count = (size_t)all->n * (size_t)all->n;

    memcpy(all->below, all->mixed, count * sizeof *all->below);
    for (int i = 0; i < all->n && all->capacity != NULL; i++)
        all->capacity[(size_t)all->n_layers * count + (size_t)i * (size_t)all->n + (size_t)i] =
            1;
    all->n_layers++;
    all->layer = layer;
}

static void mix_row(struct mixing *all, const struct metric_row *rows, int n)
{
    double sum = 1;

    memset(all->row, 0, (size_t)all->n * sizeof *all->row);
    all->row[rows->query] = 1;
    for (int h = 0; h < n; h++)
        for (int j = 0; j < rows[h].n_keys; j++) {
            all->row[rows[h].key0 + j] += (double)rows[h].a[j] / n;
            sum += (double)rows[h].a[j] / n;
        }
    for (int j = 0; j < all->n; j++)
        all->row[j] /= sum;
}

static void mixing_take(void *state, const struct metric_row *rows, int n)
{
    struct mixing *all = state;
    double *out = all->mixed + (size_t)rows->query * (size_t)all->n;

    if (rows->layer != all->layer)
        next_layer(all, rows->layer);
    mix_row(all, rows, n);
    if (all->capacity != NULL)
        memcpy(all->capacity + ((size_t)(all->n_layers - 1) * (size_t)all->n +
                                (size_t)rows->query) * (size_t)all->n,
               all->row, (size_t)all->n * sizeof *all->row);
    memset(out, 0, (size_t)all->n * sizeof *out);
    for (int j = 0; j < all->n; j++)
        for (int k = 0; k < all->n && all->row[j] > 0; k++)
            out[k] += all->row[j] * all->below[(size_t)j * (size_t)all->n + (size_t)k];
}

static void flow_finish(void *state, struct arena *scratch, struct progress *progress)
{
    struct mixing *all = state;

    if (all->capacity != NULL && all->n_layers > 0)
        flow_all(all->flow, all->capacity, all->n_layers, all->n, scratch, progress);
}

static const double *rollout(const void *state)
{
    const struct mixing *all = state;

    return all->n_layers > 0 ? all->mixed : NULL;
}

static const double *flow(const void *state)
{
    const struct mixing *all = state;

    return all->n_layers > 0 ? all->flow : NULL;
}

static const struct metric_state rollouts = { SCOPE_TEXT, mixing_size, mixing_take,
                                              .start = rollout_start };
static const struct metric_state flows = { SCOPE_TEXT, mixing_size, mixing_take, flow_finish,
                                           .start = flow_start };

const struct metric_rule metric_rollout = { .state = &rollouts, .map = rollout };
const struct metric_rule metric_flow = { .state = &flows, .map = flow };
