/* SPDX-License-Identifier: MIT
 * A row of weights -> its entropy, its strongest key; the row over all keys. */
#include "run/row.h"

#include <string.h>

#include "base/elementary.h"

double row_entropy(const float *w, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++)
        if (w[j] > 0)
            sum -= (double)w[j] * elementary_log((double)w[j]);
    return sum;
}

int row_strongest(const float *w, int n)
{
    return scan_strongest(w, n);
}

struct scan row_scan(const float *w, int n, int key0, int query)
{
    return scan_row(w, n, key0, query);
}

struct scan_sums row_scan_rows(float *largest, const float *w, size_t stride, int n_rows, int n,
                               int key0, int query)
{
    return scan_rows(largest, w, stride, n_rows, n, key0, query);
}

void row_spread(const struct rows *rows, int t, float *out)
{
    memset(out, 0, (size_t)rows->n_all_keys * sizeof *out);
    memcpy(out + rows->key0, rows->weight + (size_t)t * rows->stride,
           (size_t)rows->n_keys * sizeof *out);
}
