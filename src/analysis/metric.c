/* SPDX-License-Identifier: MIT
 * The table of metrics. */
#include "analysis/metric.h"

const struct metric metric_table[N_METRIC] = {
#define METRIC(id, name, heading, unit, lo, hi, one_axis, group, help) \
    [METRIC_##id] = { name, heading, unit, lo, hi, one_axis, METRIC_##group, help, \
                      &metric_##id },
#include "analysis/metrics.def"
#undef METRIC
};
