/* SPDX-License-Identifier: MIT
 * Blocks of rows: their rows one by one, and sums of what lies evenly in them. */
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
    double sum[4] = { 0 };
    int i = 0;

    for (; i + 4 <= n; i += 4, w += 4 * step) {
        sum[0] += (double)w[0];
        sum[1] += (double)w[step];
        sum[2] += (double)w[2 * step];
        sum[3] += (double)w[3 * step];
    }
    for (; i < n; i++, w += step)
        sum[i & 3] += (double)*w;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double metric_sum_double(const double *x, int n)
{
    double sum[4] = { 0 };
    int i = 0;

    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k];
    for (; i < n; i++)
        sum[i & 3] += x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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
