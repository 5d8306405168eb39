/* SPDX-License-Identifier: MIT
 * The list of a metric's values row by row, for the metric opts->by_row. */
#include <math.h>

#include "analysis/metric.h"

struct by_row {
    int n;                      /* queries */
    double value[];             /* [n] NaN: the row has none */
};

static size_t by_row_size(const struct metric_shape *shape)
{
    return sizeof(struct by_row) + (size_t)shape->n_queries * sizeof(double);
}

static void by_row_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct by_row *all = state;

    (void)a;
    all->n = shape->n_queries;
    for (int i = 0; i < all->n; i++)
        all->value[i] = NAN;
}

static void by_row_take(void *state, const struct metric_row *rows, int n)
{
    struct by_row *all = state;
    double value;

    (void)n;
    if (rows->opts->by_row->row(rows, &value))
        all->value[rows->query] = value;
}

static int list_rows(const void *state, int layer, int head, double *v)
{
    const struct by_row *all = state;

    (void)layer;
    (void)head;
    for (int i = 0; i < all->n; i++)
        v[i] = all->value[i];
    return all->n;
}

static int rows_count(const struct metric_shape *shape)
{
    return shape->n_queries;
}

static const struct metric_state rows_state = {
    .scope = SCOPE_HEAD, .size = by_row_size, .start = by_row_start, .take = by_row_take,
};

const struct metric_rule metric_rows = {
    .state = &rows_state, .list = list_rows, .length = rows_count,
};
