/* SPDX-License-Identifier: MIT
 * Metrics of the strongest key's weight. */
#include "analysis/metric.h"

/* Source: Voita et al. 2019, "confidence", with no token left out. */
static bool max_largest(const struct metric_row *r, double *v)
{
    *v = (double)r->a[metric_scan(r).strongest];
    return true;
}

static int largest_block(const struct metric_block *b, double *sum)
{
    *sum = metric_sum(b->largest, 1, b->n_rows);
    return b->n_rows;
}

const struct metric_rule metric_max_mean = { .row = max_largest, .block = largest_block };
