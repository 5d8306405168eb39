/* SPDX-License-Identifier: MIT
 * Metrics of the rank of a head's map, by its singular values: memory for all weights, and time in
 * the cube of the tokens. */
#include <math.h>
#include <string.h>

#include "analysis/metric.h"
#include "base/elementary.h"

struct map {
    int n_rows, n_keys, n_singular;
    float a[];          /* [queries, n_keys] of n_rows; in the end the n_singular values */
};

static size_t map_size(const struct metric_shape *shape)
{
    return sizeof(struct map) +
           (size_t)shape->n_queries * (size_t)shape->n_keys * sizeof(float);
}

static void map_take(void *state, const struct metric_row *rows, int n)
{
    struct map *map = state;
    float *a = map->a + (size_t)map->n_rows++ * (size_t)rows->keys->n;

    (void)n;
    map->n_keys = rows->keys->n;
    memcpy(a + rows->key0, rows->a, (size_t)rows->n_keys * sizeof *a);
}

/* ---- singular values ---- */

static double rank_dot(const double *x, const double *y, int n)
{
    double sum[4] = { 0 };

    for (int i = 0; i < n; i++)
        sum[i & 3] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Turns two vectors so that they are orthogonal; false if they are. */
static bool rank_rotate(double *x, double *y, int n)
{
    double xx = rank_dot(x, x, n), yy = rank_dot(y, y, n), xy = rank_dot(x, y, n), tau, t, c;

    if (fabs(xy) <= 1e-14 * sqrt(xx * yy) || xy == 0)
        return false;
    tau = (yy - xx) / (2 * xy);
    t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
    c = 1 / sqrt(1 + t * t);
    for (int i = 0; i < n; i++) {
        double was = x[i];

        x[i] = c * (was - t * y[i]);
        y[i] = c * (y[i] + t * was);
    }
    return true;
}

/* One-sided Jacobi: Hestenes 1958.  v[count][n] becomes orthogonal, its lengths the
 * singular values. */
static void make_orthogonal(double *v, int count, int n, struct progress *progress)
{
    bool turned = true;

    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (int p = 0; p < count; p++) {
            for (int q = p + 1; q < count; q++)
                turned |= rank_rotate(v + (size_t)p * (size_t)n, v + (size_t)q * (size_t)n, n);
            progress_ran(progress, (int64_t)(count - p) * n);
        }
    }
}

/* The fewer of rows and columns are turned. */
static void map_finish(void *state, struct arena *scratch, struct progress *progress)
{
    struct map *map = state;
    bool by_rows = map->n_rows <= map->n_keys;
    int count = by_rows ? map->n_rows : map->n_keys, n = by_rows ? map->n_keys : map->n_rows;
    double *v = arena_alloc_raw(scratch, (uint64_t)count * (uint64_t)n, sizeof *v);

    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            v[(size_t)i * (size_t)n + (size_t)k] =
                (double)map->a[by_rows ? (size_t)i * (size_t)n + (size_t)k :
                                         (size_t)k * (size_t)count + (size_t)i];
    make_orthogonal(v, count, n, progress);
    for (int i = 0; i < count; i++) {
        const double *x = v + (size_t)i * (size_t)n;

        map->a[i] = (float)sqrt(rank_dot(x, x, n));
    }
    map->n_singular = count;
}

/* ---- ranks ---- */

/* e^-sum p ln p, p the singular values or their squares / their sum. */
static bool rank_of(const struct map *map, bool squared, double *v)
{
    double sum = 0, h = 0;

    for (int i = 0; i < map->n_singular; i++)
        sum += squared ? (double)map->a[i] * (double)map->a[i] : (double)map->a[i];
    for (int i = 0; i < map->n_singular; i++) {
        double p = (squared ? (double)map->a[i] * (double)map->a[i] : (double)map->a[i]) / sum;

        h -= p > 0 ? p * elementary_log(p) : 0;
    }
    *v = elementary_exp(h);
    return map->n_singular > 0;
}

/* Source: Roy and Vetterli 2007. */
static bool erank(const void *state, int layer, int head, double *v)
{
    (void)layer;
    (void)head;
    return rank_of(state, false, v);
}

static bool erank_sq(const void *state, int layer, int head, double *v)
{
    (void)layer;
    (void)head;
    return rank_of(state, true, v);
}

static bool stable_rank(const void *state, int layer, int head, double *v)
{
    const struct map *map = state;
    double most = 0, sum = 0;

    (void)layer;
    (void)head;
    for (int i = 0; i < map->n_singular; i++) {
        most = fmax(most, (double)map->a[i]);
        sum += (double)map->a[i] * (double)map->a[i];
    }
    *v = sum / (most * most);
    return map->n_singular > 0;
}

static const struct metric_state map = { SCOPE_HEAD, map_size, map_take, map_finish };

const struct metric_rule metric_erank = { .state = &map, .value = erank };
const struct metric_rule metric_erank_sq = { .state = &map, .value = erank_sq };
const struct metric_rule metric_stable_rank = { .state = &map, .value = stable_rank };
