/* SPDX-License-Identifier: MIT
 * The scores of texts, as metrics. */
#include "analysis/types.h"

const struct metric types_metrics[N_TYPES_TEXT] = {
#define TEXT_SCORE(id, label, at, one, about) \
    [TYPES_##id] = { .name = label, .heading = label, .unit = "", .kind = METRIC_NUMBER, \
                     .one_axis = one, .group = METRIC_NAMED, .help = about, .rule = &at },
#include "analysis/types_scores.def"
#undef TEXT_SCORE
};
