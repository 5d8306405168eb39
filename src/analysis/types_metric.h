/* SPDX-License-Identifier: MIT
 * Rules of the scores of texts that are no metrics of metrics.def. */
#ifndef ANALYSIS_TYPES_METRIC_H
#define ANALYSIS_TYPES_METRIC_H

#include "analysis/types.h"

extern const struct metric_rule types_local_even, types_prev_clark, types_next_clark, types_near,
    types_far;

#endif
