/* SPDX-License-Identifier: MIT
 * What each key gets of all rows, and how alike the rows are. */
#include <math.h>

#include "analysis/metric.h"

struct columns {
    int n_rows, n_keys;
    double squares;             /* of all weights */
    struct column { double sum; int n; } at[];  /* [n_keys] n: rows that see the key */
};

static size_t columns_size(const struct metric_shape *shape)
{
    return sizeof(struct columns) + (size_t)shape->n_keys * sizeof(struct column);
}

static void columns_take(void *state, const struct metric_row *rows, int n)
{
    struct columns *all = state;

    (void)n;
    for (int j = rows->key0; j < rows->key0 + rows->n_keys; j++)
        if (metric_sees(rows, j)) {
            double w = metric_weight(rows, j);

            all->at[j].sum += w;
            all->at[j].n++;
            all->squares += w * w;
        }
    all->n_keys = rows->keys->n;
    all->n_rows++;
}

static int key_count(const struct metric_shape *shape)
{
    return shape->n_keys;
}

/* The mean over the rows that see the key.  Source: Gu et al. 2024, alpha of every key. */
static int received(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;

    (void)layer;
    (void)head;
    for (int j = 0; j < all->n_keys; j++)
        v[j] = all->at[j].n > 0 ? all->at[j].sum / all->at[j].n : (double)NAN;
    return all->n_rows > 0 ? all->n_keys : -1;
}

/* sum_j c_j^2 / (N sum a^2), c the sums of columns: 1 if the rows are equal, 1 / N if each
 * looks at one key and no two at the same. */
static bool query_independence(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;

    (void)layer;
    (void)head;
    *v = 0;
    for (int j = 0; j < all->n_keys; j++)
        *v += all->at[j].sum * all->at[j].sum;
    *v /= all->n_rows * all->squares;
    return all->n_rows > 0;
}

/* Keys that get more than 0.3 of their rows: the first always, another where all rows see it
 * or 16 do, since of a few rows the mean says little.  Source: Gu et al. 2024. */
static int sinks(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;
    int count = 0;

    (void)layer;
    (void)head;
    for (int j = 0; j < all->n_keys; j++) {
        const struct column *column = &all->at[j];

        if (column->sum > 0.3 * column->n &&
            (j == 0 || column->n == all->n_rows || column->n >= 16))
            v[count++] = j;
    }
    return all->n_rows > 0 ? count : -1;
}

static const struct metric_state columns = { SCOPE_HEAD, columns_size, columns_take };

const struct metric_rule metric_received = { .state = &columns, .list = received,
                                             .length = key_count };
const struct metric_rule metric_sinks = { .state = &columns, .list = sinks,
                                          .length = key_count };
const struct metric_rule metric_query_independence = { .state = &columns,
                                                       .value = query_independence };
