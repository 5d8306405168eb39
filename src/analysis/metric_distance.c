/* SPDX-License-Identifier: MIT
 * How far from itself a row looks, in tokens. */
#include <stdlib.h>

#include "analysis/metric.h"

/* Four sums side by side, since one would wait for each addition to end. */
static double mean_distance(const struct metric_row *r, bool absolute)
{
    double sum[4] = { 0 };

    for (int j = 0; j < r->n_keys; j++) {
        int away = r->key0 + j - r->query;

        sum[(r->key0 + j) & 3] += (double)r->a[j] * (absolute ? abs(away) : away);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static bool distance(const struct metric_row *r, double *v)
{
    *v = mean_distance(r, false);
    return true;
}

/* Source: Vig and Belinkov 2019, eq. 6, with no token left out. */
static bool distance_abs(const struct metric_row *r, double *v)
{
    *v = mean_distance(r, true);
    return true;
}

const struct metric_rule metric_distance = { .row = distance };
const struct metric_rule metric_distance_abs = { .row = distance_abs };
