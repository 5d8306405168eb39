/* SPDX-License-Identifier: MIT
 * Metrics of the strongest key's weight. */
#include "analysis/metric.h"

/* Source: Voita et al. 2019, "confidence", with no token left out. */
static bool max_largest(const struct metric_row *row, double *v)
{
    *v = (double)row->a[metric_scan(row).strongest];
    return true;
}

static int largest_block(const struct metric_block *block, double *sum)
{
    *sum = metric_sum(block->largest, 1, block->n_rows);
    return block->n_rows;
}

const struct metric_rule metric_max_mean = { .row = max_largest, .block = largest_block };
