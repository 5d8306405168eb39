/* SPDX-License-Identifier: MIT
 * Metrics of columns: the weight that each key gets from all rows, and the similarity of rows. */
#include <math.h>

#include "analysis/metric.h"
#include "base/sort.h"

struct columns {
    int n_rows, n_keys;
    double squares;             /* of all weights */
    double middle;              /* median length of the values of keys that are no sinks;
                                   0: there is none, or it was not looked at */
    struct column {
        double sum, length;     /* length: of the key's value */
        int n;                  /* rows that see the key */
    } at[];                     /* [n_keys] */
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
    all->n_rows++;
}

static void columns_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct columns *all = state;

    (void)a;
    all->n_keys = shape->n_keys;
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

/* The first always, another where all rows see it or 16 do, since of a few rows the mean
 * says little. */
static bool column_counts(const struct columns *all, int j)
{
    return j == 0 || all->at[j].n == all->n_rows || all->at[j].n >= 16;
}

/* Keys that get more than 0.3 of their rows.  Source: Gu et al. 2024. */
static bool is_sink(const struct columns *all, int j)
{
    return all->at[j].sum > 0.3 * all->at[j].n && column_counts(all, j);
}

static double column_share(const struct columns *all, int j)
{
    return all->at[j].sum / all->at[j].n;
}

/* The key but the first that gets most, the first of equal ones; -1: none counts. */
static int largest_other(const struct columns *all)
{
    int found = -1;

    for (int j = 1; j < all->n_keys; j++)
        if (all->at[j].n > 0 && column_counts(all, j) &&
            (found < 0 || column_share(all, j) > column_share(all, found)))
            found = j;
    return found;
}

static bool sink_other(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;
    int key = largest_other(all);

    (void)layer;
    (void)head;
    *v = key >= 0 ? column_share(all, key) : -1;
    return key >= 0;
}

/* In a short text some key always is the largest, whatever it is. */
static bool sink_long(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;

    return all->n_keys > METRIC_LONG_TEXT && sink_other(state, layer, head, v);
}

static bool sink_key(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;

    (void)layer;
    (void)head;
    *v = largest_other(all);
    return all->n_keys > METRIC_LONG_TEXT && *v >= 0;
}

static int sinks(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;
    int count = 0;

    (void)layer;
    (void)head;
    for (int j = 0; j < all->n_keys; j++)
        if (is_sink(all, j))
            v[count++] = j;
    return all->n_rows > 0 ? count : -1;
}

/* ---- values ---- */

/* Of tokens, not of words. */
static void columns_look(void *state, const struct qkv_view *view, int head)
{
    struct columns *all = state;
    const float *v = view->kv + view->v_at[head / (view->H / view->G)];

    for (int j = 0; j < view->S && view->S == all->n_keys; j++, v += view->kv_stride) {
        double sum = 0;

        for (int c = 0; c < view->at[head].d_v; c++)
            sum += (double)v[c] * (double)v[c];
        all->at[j].length = sqrt(sum);
    }
}

/* The root of x^T gram x of x[n]. */
static double written(const double *gram, const float *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += (double)x[i] * (double)x[j] * gram[(int64_t)i * n + j];
    return sum > 0 ? sqrt(sum) : 0;
}

/* The same of what the head writes of each value. */
static void columns_look_out(void *state, const struct qkv_view *view, int head)
{
    struct columns *all = state;
    const float *v = view->kv + view->v_at[head / (view->H / view->G)];
    struct arena_mark mark = arena_mark(view->room);
    const double *gram;

    if (view->out == NULL || view->S != all->n_keys)
        return;
    gram = view_written(view, head);
    for (int j = 0; j < view->S; j++, v += view->kv_stride)
        all->at[j].length = written(gram, v, view->at[head].d_v);
    arena_reset(view->room, mark);
}

static void columns_finish(void *state, struct arena *scratch, struct progress *progress)
{
    struct columns *all = state;
    float *length = arena_alloc(scratch, 2 * (uint64_t)all->n_keys, sizeof *length);
    int n = 0;

    (void)progress;
    for (int j = 0; j < all->n_keys; j++)
        if (!is_sink(all, j) && all->at[j].n > 0)
            length[n++] = (float)all->at[j].length;
    sort_down(length, length + n, n);
    if (n > 0)
        all->middle = ((double)length[(n - 1) / 2] + (double)length[n / 2]) / 2;
}

/* How long the value of each sink is, the median of the others being 1. */
static int drain(const void *state, int layer, int head, double *v)
{
    const struct columns *all = state;
    int count = sinks(state, layer, head, v);

    if (!(all->middle > 0))
        return -1;
    for (int i = 0; i < count; i++)
        v[i] = all->at[(int)v[i]].length / all->middle;
    return count;
}

static const struct metric_state columns = { SCOPE_HEAD, columns_size, columns_take,
                                             .start = columns_start };
/* The same, with values: for what is not asked for without them. */
static const struct metric_state drains = { SCOPE_HEAD, columns_size, columns_take,
                                            columns_finish, columns_look, columns_start };
static const struct metric_state drains_out = { SCOPE_HEAD, columns_size, columns_take,
                                                columns_finish, columns_look_out,
                                                columns_start };

const struct metric_rule metric_sink_other = { .state = &columns, .value = sink_other };
const struct metric_rule metric_sink_long = { .state = &columns, .value = sink_long };
const struct metric_rule metric_sink_key = { .state = &columns, .value = sink_key };
const struct metric_rule metric_received = { .state = &columns, .list = received,
                                             .length = key_count };
const struct metric_rule metric_sinks = { .state = &columns, .list = sinks,
                                          .length = key_count };
const struct metric_rule metric_drain_v = { .state = &drains, .list = drain,
                                            .length = key_count };
const struct metric_rule metric_drain_out = { .state = &drains_out, .list = drain,
                                              .length = key_count };
const struct metric_rule metric_query_independence = { .state = &columns,
                                                       .value = query_independence };
