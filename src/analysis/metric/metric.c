/* SPDX-License-Identifier: MIT
 * The table of metrics. */
#include "analysis/metric.h"

const struct metric metric_table[N_METRIC] = {
#define METRIC(id, name, heading, unit, kind, one_axis, group, help) \
    [METRIC_##id] = { name, heading, unit, METRIC_##kind, one_axis, METRIC_##group, help, \
                      &metric_##id },
#include "analysis/metrics.def"
#undef METRIC
};

const char *const metric_group_names[N_METRIC_GROUP] = {
    [METRIC_BASIC] = "basic", [METRIC_ALL] = "all", [METRIC_SCALE] = "scale",
    [METRIC_SINKS] = "sinks", [METRIC_PROFILE] = "profile",
    [METRIC_ROPE] = "rope", [METRIC_CACHE] = "cache", [METRIC_STREAMING] = "streaming",
};
