/* SPDX-License-Identifier: MIT
 * Blocks of rows -> single rows, and sums over evenly spaced elements. */
#include "analysis/metric.h"

struct metric_row metric_block_row(const struct metric_block *b, int t)
{
    struct metric_row row = b->row;
    size_t at = (size_t)t * b->stride;

    row.query += t;
    row.a += at;
    row.hidden = row.hidden != NULL ? row.hidden + at : NULL;
    row.n_visible = b->n_visible[t];
    row.entropy = b->entropy[t];
    row.null_mass = b->null_mass != NULL ? b->null_mass[t] : row.null_mass;
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

double metric_sum_away(const struct metric_block *b, int away)
{
    const struct metric_row *r = &b->row;
    int first = r->query + away, from = 0, to = b->n_rows;      /* first: key of the first row */

    if (first < r->key0)
        from = r->key0 - first;
    if (first + to > r->key0 + r->n_keys)
        to = r->key0 + r->n_keys - first;
    if (from >= to)
        return 0;
    return metric_sum(r->a + (size_t)from * b->stride + (first + from - r->key0), b->stride + 1,
                      to - from);
}

/* ---- what several metrics ask for ---- */

/* Rows from t on that see as many keys. */
static int count_alike(const struct metric_block *b, int t)
{
    int n = 1;

    while (t + n < b->n_rows && b->n_visible[t + n] == b->n_visible[t])
        n++;
    return n;
}

/* Rows that see as many keys are divided together. */
const struct metric_entropies *metric_block_entropies(const struct metric_block *b)
{
    struct metric_entropies *all = &b->found->entropies;
    int n;

    if (b->found->has_entropies)
        return all;
    *all = (struct metric_entropies){ 0 };
    for (int t = 0; t < b->n_rows; t += n) {
        double sum, ln = b->ln[b->n_visible[t]];

        n = count_alike(b, t);
        sum = metric_sum_double(b->entropy + t, n);
        all->sum += sum;
        all->sum_ln += n * ln;
        if (b->n_visible[t] < 2)
            continue;
        all->sum_norm += sum / ln;
        all->n_norm += n;
    }
    b->found->has_entropies = true;
    return all;
}

struct facts_rows metric_block_facts(const struct metric_block *b)
{
    return (struct facts_rows){ b->row.a, b->stride, b->n_rows, b->row.n_keys, b->row.key0,
                                b->row.query, b->n_visible, b->largest, &b->found->room };
}

const struct facts_shape *metric_block_shape(const struct metric_block *b)
{
    struct metric_found *found = b->found;
    const struct facts_rows rows = metric_block_facts(b);

    if (!found->has_shape)
        facts_shape(&found->shape, &rows);
    found->has_shape = true;
    return &found->shape;
}

const struct facts_top *metric_block_top(const struct metric_block *b)
{
    struct metric_found *found = b->found;
    const struct facts_rows rows = metric_block_facts(b);

    if (rows.n > FACTS_MOST)
        return NULL;
    if (!found->has_top)
        facts_top(&found->top, &rows, 0.9 - 1e-6);      /* float sums of tenths fall short */
    found->has_top = true;
    return &found->top;
}

enum { DIAGONALS = 8 };

/* The weights of row t on the DIAGONALS keys from entry `first` on, of which it may lack some. */
static void add_some(double sum[DIAGONALS], const struct metric_block *b, int t, int first)
{
    const float *a = b->row.a + (size_t)t * b->stride;

    for (int k = 0; k < DIAGONALS; k++)
        if (first + k >= 0 && first + k < b->row.n_keys)
            sum[k] += (double)a[first + k];
}

/* metric_sum_away of `away` and the next, side by side: row by row. */
static void sum_diagonals(double sum[DIAGONALS], const struct metric_block *b, int away)
{
    int first = b->row.query + away - b->row.key0, n = b->row.n_keys, t = 0;    /* of row 0 */
    int end = n - DIAGONALS - first + 1 < b->n_rows ? n - DIAGONALS - first + 1 : b->n_rows;
    const float *a;
    double x[DIAGONALS] = { 0 };

    for (; t < b->n_rows && first + t < 0; t++)
        add_some(x, b, t, first + t);
    a = t < end ? b->row.a + (size_t)t * b->stride + (first + t) : NULL;
    for (; t < end; t++, a += b->stride + 1)
        for (int k = 0; k < DIAGONALS; k++)
            x[k] += (double)a[k];
    for (; t < b->n_rows && first + t < n; t++)
        add_some(x, b, t, first + t);
    for (int k = 0; k < DIAGONALS; k++)
        sum[k] = x[k];
}

const double *metric_block_near(const struct metric_block *b)
{
    struct metric_found *found = b->found;
    double away[2 * METRIC_NEAR];       /* by distance + METRIC_NEAR */

    if (found->has_near)
        return found->near;
    for (int d = 0; d < 2 * METRIC_NEAR; d += DIAGONALS)
        sum_diagonals(away + d, b, d - METRIC_NEAR);
    for (int d = 0; d <= METRIC_NEAR; d++)
        found->near[d] = (d < METRIC_NEAR ? away[METRIC_NEAR + d] : metric_sum_away(b, d)) +
                         (d > 0 ? away[METRIC_NEAR - d] : 0);
    found->has_near = true;
    return found->near;
}

void metric_block_each(void *state, const struct metric_block *b,
                       void (*take)(void *state, const struct metric_row *rows, int n))
{
    for (int t = 0; t < b->n_rows; t++) {
        struct metric_row row = metric_block_row(b, t);

        take(state, &row, 1);
    }
}
