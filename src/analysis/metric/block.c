/* SPDX-License-Identifier: MIT
 * Blocks of rows -> single rows, and sums over evenly spaced elements. */
#include "analysis/metric.h"

struct metric_row metric_block_row(const struct metric_block *block, int t)
{
    struct metric_row row = block->row;
    size_t at = (size_t)t * block->stride;

    row.query += t;
    row.a += at;
    row.hidden = row.hidden != NULL ? row.hidden + at : NULL;
    row.n_visible = block->n_visible[t];
    row.entropy = block->entropy[t];
    row.null_mass = block->null_mass != NULL ? block->null_mass[t] : row.null_mass;
    return row;
}

double metric_sum(const float *w, size_t step, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4, w += 4 * step) {
        a += (double)w[0];
        b += (double)w[step];
        c += (double)w[2 * step];
        d += (double)w[3 * step];
    }
    a += i < n ? (double)w[0] : 0;
    b += i + 1 < n ? (double)w[step] : 0;
    c += i + 2 < n ? (double)w[2 * step] : 0;
    return (a + b) + (c + d);
}

double metric_sum_double(const double *x, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    a += i < n ? x[i] : 0;
    b += i + 1 < n ? x[i + 1] : 0;
    c += i + 2 < n ? x[i + 2] : 0;
    return (a + b) + (c + d);
}

double metric_sum_away(const struct metric_block *block, int away)
{
    const struct metric_row *r = &block->row;
    int first = r->query + away, from = 0, to = block->n_rows; /* first: key of the first row */

    if (first < r->key0)
        from = r->key0 - first;
    if (first + to > r->key0 + r->n_keys)
        to = r->key0 + r->n_keys - first;
    if (from >= to)
        return 0;
    return metric_sum(r->a + (size_t)from * block->stride + (first + from - r->key0),
                      block->stride + 1, to - from);
}

/* ---- what several metrics ask for ---- */

/* Rows from t on that see as many keys. */
static int count_alike(const struct metric_block *block, int t)
{
    int n = 1;

    while (t + n < block->n_rows && block->n_visible[t + n] == block->n_visible[t])
        n++;
    return n;
}

/* Rows that see as many keys are divided together. */
const struct metric_entropies *metric_block_entropies(const struct metric_block *block)
{
    struct metric_entropies *all = &block->found->entropies;
    int n;

    if (block->found->has_entropies)
        return all;
    *all = (struct metric_entropies){ 0 };
    for (int t = 0; t < block->n_rows; t += n) {
        double sum, ln = block->ln[block->n_visible[t]];

        n = count_alike(block, t);
        sum = metric_sum_double(block->entropy + t, n);
        all->sum += sum;
        all->sum_ln += n * ln;
        if (block->n_visible[t] < 2)
            continue;
        all->sum_norm += sum / ln;
        all->n_norm += n;
    }
    block->found->has_entropies = true;
    return all;
}

struct facts_rows metric_block_facts(const struct metric_block *block)
{
    return (struct facts_rows){ block->row.a, block->stride, block->n_rows, block->row.n_keys,
                                block->row.key0,
                                block->row.query, block->n_visible, block->largest,
                                &block->found->room };
}

const struct facts_shape *metric_block_shape(const struct metric_block *block)
{
    struct metric_found *found = block->found;
    const struct facts_rows rows = metric_block_facts(block);

    if (!found->has_shape)
        facts_shape(&found->shape, &rows);
    found->has_shape = true;
    return &found->shape;
}

const struct facts_top *metric_block_top(const struct metric_block *block)
{
    struct metric_found *found = block->found;
    const struct facts_rows rows = metric_block_facts(block);

    if (rows.n > FACTS_MOST)
        return NULL;
    if (!found->has_top)
        facts_top(&found->top, &rows, 0.9 - 1e-6);      /* float sums of tenths fall short */
    found->has_top = true;
    return &found->top;
}

enum { DIAGONALS = 8 };

/* The weights of row t on the DIAGONALS keys from entry `first` on, of which it may lack some. */
static void add_some(double sum[DIAGONALS], const struct metric_block *block, int t, int first)
{
    const float *a = block->row.a + (size_t)t * block->stride;

    for (int k = 0; k < DIAGONALS; k++)
        if (first + k >= 0 && first + k < block->row.n_keys)
            sum[k] += (double)a[first + k];
}

/* metric_sum_away of `away` and the next, side by side: row by row. */
static void sum_diagonals(double sum[DIAGONALS], const struct metric_block *block, int away)
{
    int first = block->row.query + away - block->row.key0, n = block->row.n_keys,
        t = 0; /* of row 0 */
    int end = n - DIAGONALS - first + 1 < block->n_rows ? n - DIAGONALS - first + 1 : block->n_rows;
    const float *a;
    double x[DIAGONALS] = { 0 };

    for (; t < block->n_rows && first + t < 0; t++)
        add_some(x, block, t, first + t);
    a = t < end ? block->row.a + (size_t)t * block->stride + (first + t) : NULL;
    for (; t < end; t++, a += block->stride + 1)
        for (int k = 0; k < DIAGONALS; k++)
            x[k] += (double)a[k];
    for (; t < block->n_rows && first + t < n; t++)
        add_some(x, block, t, first + t);
    for (int k = 0; k < DIAGONALS; k++)
        sum[k] = x[k];
}

const double *metric_block_near(const struct metric_block *block)
{
    struct metric_found *found = block->found;
    double away[2 * METRIC_NEAR];       /* by distance + METRIC_NEAR */

    if (found->has_near)
        return found->near;
    for (int d = 0; d < 2 * METRIC_NEAR; d += DIAGONALS)
        sum_diagonals(away + d, block, d - METRIC_NEAR);
    for (int d = 0; d <= METRIC_NEAR; d++)
        found->near[d] = (d < METRIC_NEAR ? away[METRIC_NEAR + d] : metric_sum_away(block, d)) +
                         (d > 0 ? away[METRIC_NEAR - d] : 0);
    found->has_near = true;
    return found->near;
}

void metric_block_each(void *state, const struct metric_block *block,
                       void (*take)(void *state, const struct metric_row *rows, int n))
{
    for (int t = 0; t < block->n_rows; t++) {
        struct metric_row row = metric_block_row(block, t);

        take(state, &row, 1);
    }
}
