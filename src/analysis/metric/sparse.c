/* SPDX-License-Identifier: MIT
 * Metrics of sparsity: on how few keys a row's weight is concentrated.  Hidden keys do not count: a
 * mask alone makes no row sparse. */
#include <math.h>
#include <string.h>

#include "analysis/metric.h"
#include "base/sort.h"

/* Half of the sum of |a - 1 / n|: 0 is uniform. */
static bool tv_uniform(const struct metric_row *row, double *v)
{
    double even = 1.0 / row->n_visible;

    *v = 0;
    for (int j = 0; j < row->n_keys; j++)
        if (metric_sees(row, row->key0 + j))
            *v += fabs((double)row->a[j] - even) / 2;
    return true;
}

static int tv_uniform_block(const struct metric_block *block, double *sum)
{
    *sum = metric_sum_double(metric_block_shape(block)->uneven, block->n_rows) / 2;
    return block->n_rows;
}

const struct metric_rule metric_tv_uniform = { .row = tv_uniform, .block = tv_uniform_block };

/* ---- the largest weights of each row ---- */

enum { N_TOP = FACTS_TOPS };
static const int top_sizes[N_TOP] = { 1, 2, 4, 8, 16 };

struct largest {
    double mass[N_TOP];         /* sum over rows */
    double k90;
    int n;                      /* rows */
    float sorted[];             /* [n_keys], and as much room */
};

static size_t largest_size(const struct metric_shape *shape)
{
    return sizeof(struct largest) + 2 * (size_t)shape->n_keys * sizeof(float);
}

/*
 * The row's largest weights in falling order, at least as many as all numbers here need: the
 * rest is not sorted.  Those below a share of the mean are left out where the others are
 * enough; below a tenth of it they hold less than a tenth of the mass.  Returns how many.
 */
static int sort_largest(struct largest *all, const struct metric_row *row)
{
    float least = 1.0F / (float)row->n_keys, *sorted = all->sorted;
    int n;

    for (int k = 0; k < 3; k++, least /= 4) {
        double sum[4] = { 0 };

        n = 0;
        for (int j = 0; j < row->n_keys; j++) {
            sorted[n] = row->a[j];
            n += row->a[j] >= least;
        }
        for (int i = 0; i < n; i++)
            sum[i % 4] += (double)sorted[i];
        if (n >= top_sizes[N_TOP - 1] && sum[0] + sum[1] + sum[2] + sum[3] >= 0.9) {
            sort_down(sorted, sorted + row->n_keys, n);
            return n;
        }
    }
    n = row->n_keys;
    memcpy(sorted, row->a, (size_t)n * sizeof *sorted);
    sort_down(sorted, sorted + n, n);
    return n;
}

static void largest_take(void *state, const struct metric_row *rows, int n)
{
    struct largest *all = state;
    double sum = 0;
    int k90 = 0, size = 0, n_sorted = sort_largest(all, rows);

    (void)n;
    for (int k = 0; k < n_sorted && (size < N_TOP || k90 == 0); k++) {
        sum += (double)all->sorted[k];
        if (size < N_TOP && k + 1 == top_sizes[size])
            all->mass[size++] += sum;
        if (k90 == 0 && sum >= 0.9 - 1e-6)      /* float sums of tenths fall short of it */
            k90 = k + 1;
    }
    for (; size < N_TOP; size++)
        all->mass[size] += sum;
    all->k90 += k90;
    all->n++;
}

static void largest_take_block(void *state, const struct metric_block *block)
{
    struct largest *all = state;
    const struct facts_top *top = metric_block_top(block);

    if (top == NULL) {
        metric_block_each(state, block, largest_take);
        return;
    }
    for (int size = 0; size < N_TOP; size++)
        all->mass[size] += metric_sum_double(top->mass[size], block->n_rows);
    for (int t = 0; t < block->n_rows; t++)
        all->k90 += top->enough[t];
    all->n += block->n_rows;
}

static bool sparse_mean(const struct largest *all, double sum, double *v)
{
    *v = sum / all->n;
    return all->n > 0;
}

static const struct metric_state largest = { SCOPE_HEAD, largest_size, largest_take,
                                             .take_block = largest_take_block };

#define TOP_MASS(k, place) \
    static bool top##k(const void *state, int layer, int head, double *v) \
    { \
        const struct largest *all = state; \
        \
        (void)layer; \
        (void)head; \
        return sparse_mean(all, all->mass[place], v); \
    } \
    const struct metric_rule metric_top##k##_mass = { .state = &largest, .value = top##k };
TOP_MASS(1, 0)
TOP_MASS(2, 1)
TOP_MASS(4, 2)
TOP_MASS(8, 3)
TOP_MASS(16, 4)
#undef TOP_MASS

static bool k90(const void *state, int layer, int head, double *v)
{
    const struct largest *all = state;

    (void)layer;
    (void)head;
    return sparse_mean(all, all->k90, v);
}

const struct metric_rule metric_k90 = { .state = &largest, .value = k90 };

/* ---- all entries of a head ---- */

struct entries { double n, below_uniform, below_max, squares; };

static size_t entries_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct entries);
}

static void entries_take(void *state, const struct metric_row *rows, int n)
{
    struct entries *all = state;
    float strongest = 0;
    double low, high;
    int below_uniform = 0, below_max = 0;

    (void)n;
    for (int j = 0; j < rows->n_keys; j++)
        strongest = rows->a[j] > strongest ? rows->a[j] : strongest;
    low = 0.01 / rows->n_visible;
    high = 0.01 * (double)strongest;
    for (int j = 0; j < rows->n_keys; j++)
        if (metric_sees(rows, rows->key0 + j)) {
            double w = (double)rows->a[j];

            below_uniform += w < low;
            below_max += w < high;
            all->squares += w * w;
        }
    all->below_uniform += below_uniform;
    all->below_max += below_max;
    all->n += rows->n_visible;
}

static void entries_take_block(void *state, const struct metric_block *block)
{
    struct entries *all = state;
    const struct facts_shape *shape = metric_block_shape(block);

    for (int t = 0; t < block->n_rows; t++) {
        all->below_uniform += shape->low[t];
        all->below_max += shape->small[t];
        all->n += block->n_visible[t];
    }
    all->squares += metric_sum_double(shape->squares, block->n_rows);
}

static bool tau_uniform(const void *state, int layer, int head, double *v)
{
    const struct entries *all = state;

    (void)layer;
    (void)head;
    *v = all->below_uniform / all->n;
    return all->n > 0;
}

static bool tau_rowmax(const void *state, int layer, int head, double *v)
{
    const struct entries *all = state;

    (void)layer;
    (void)head;
    *v = all->below_max / all->n;
    return all->n > 0;
}

static bool frob2(const void *state, int layer, int head, double *v)
{
    const struct entries *all = state;

    (void)layer;
    (void)head;
    *v = all->squares;
    return all->n > 0;
}

static const struct metric_state entries = { SCOPE_HEAD, entries_size, entries_take,
                                             .take_block = entries_take_block };

const struct metric_rule metric_tau_uniform = { .state = &entries, .value = tau_uniform };
const struct metric_rule metric_tau_rowmax = { .state = &entries, .value = tau_rowmax };
const struct metric_rule metric_frob2 = { .state = &entries, .value = frob2 };
