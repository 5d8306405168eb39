/* SPDX-License-Identifier: MIT
 * Two rows -> one number. */
#include "analysis/divergence.h"

#include <math.h>
#include <string.h>

double js_divergence(const float *p, const float *q, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++) {
        double a = (double)p[j], b = (double)q[j], m = (a + b) / 2;

        if (p[j] > 0)
            sum += a * log(a / m);
        if (q[j] > 0)
            sum += b * log(b / m);
    }
    return sum > 0 ? sum / 2 : 0;
}

void rows_spread(const struct rows *r, int t, float *out)
{
    memset(out, 0, (size_t)r->n_all_keys * sizeof *out);
    memcpy(out + r->key0, r->weight + (size_t)t * r->stride,
           (size_t)r->n_keys * sizeof *out);
}
