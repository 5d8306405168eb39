/* SPDX-License-Identifier: MIT
 * The table of metrics. */
#include "analysis/metric.h"

const struct metric metric_table[N_METRIC] = {
#define METRIC(name, heading, unit, lo, hi, one_axis, shown, help) \
    [METRIC_##name] = { #name, heading, unit, lo, hi, one_axis, shown, help, \
                        &metric_##name },
#include "analysis/metrics.def"
#undef METRIC
};

const char *const metric_names[] = {
#define METRIC(name, ...) #name,
#include "analysis/metrics.def"
#undef METRIC
    NULL
};

double metric_weight(const struct metric_row *r, int j)
{
    return j < r->key0 || j >= r->key0 + r->n_keys ? 0 : (double)r->a[j - r->key0];
}
