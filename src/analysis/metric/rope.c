/* SPDX-License-Identifier: MIT
 * Metrics of rotary frequencies: the norms of queries and keys in each rotated plane.  Rotation
 * does not change them, so positions do not matter. */
#include <math.h>

#include "analysis/metric.h"

/* A plane per pair of columns; the columns that are not rotated are one more. */
struct use {
    int n;                      /* planes; 0: nothing was looked at, or is rotated */
    double share[];
};

static int plane_count(const struct metric_shape *shape)
{
    return shape->d_head / 2 + 1;
}

static size_t use_size(const struct metric_shape *shape)
{
    return sizeof(struct use) + (size_t)plane_count(shape) * sizeof(double);
}

/* The length of x[d] in plane k. */
static double rope_length(const struct rope_plan *rope, const float *x, int d, int k)
{
    int half = rope->width / 2, first = rope->first;
    bool halves = rope->layout == ROPE_HALVES;
    double squares = 0;

    if (k < half) {
        double a = (double)x[first + (halves ? k : 2 * k)];
        double b = (double)x[first + (halves ? k + half : 2 * k + 1)];

        return sqrt(a * a + b * b);
    }
    for (int c = 0; c < d; c++)
        if (c < first || c >= first + rope->width)
            squares += (double)x[c] * (double)x[c];
    return sqrt(squares);
}

/* The sum of the lengths of n rows in plane k. */
static double lengths(const struct rope_plan *rope, const float *x, int64_t stride, int n, int d,
                      int k)
{
    double sum = 0;

    for (int i = 0; i < n; i++, x += stride)
        sum += rope_length(rope, x, d, k);
    return sum;
}

static void use_look(void *state, const struct qkv_view *view, int head)
{
    struct use *use = state;
    const struct rope_plan *rope = view->rope;
    int d = view->at[head].d;
    double sum = 0;

    if (rope == NULL)
        return;
    use->n = rope->width / 2 + (rope->width < d);
    for (int k = 0; k < use->n; k++) {
        double q = lengths(rope, view->q + view->q_at[head], view->q_stride, view->T, d, k);
        double key = lengths(rope, view->kv + view->k_at[head / (view->H / view->G)],
                             view->kv_stride, view->S, d, k);

        use->share[k] = q / view->T * (key / view->S);
        sum += use->share[k];
    }
    for (int k = 0; k < use->n; k++)
        use->share[k] /= sum;
}

/* Rows of weights say nothing of it. */
static void use_take(void *state, const struct metric_row *rows, int n)
{
    (void)state;
    (void)rows;
    (void)n;
}

static int list_use(const void *state, int layer, int head, double *v)
{
    const struct use *use = state;

    (void)layer;
    (void)head;
    for (int k = 0; k < use->n; k++)
        v[k] = use->share[k];
    return use->n > 0 ? use->n : -1;
}

static const struct metric_state use = { SCOPE_HEAD, use_size, use_take, .look = use_look };

/* Source: Barbero et al. 2024. */
const struct metric_rule metric_rope_share = { .state = &use, .list = list_use,
                                               .length = plane_count };
