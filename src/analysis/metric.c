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
