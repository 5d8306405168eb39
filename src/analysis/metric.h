/* SPDX-License-Identifier: MIT
 *
 * A metric: one number a row of attention, averaged over the rows for which it
 * is defined.  Adding one: a function, a line in metrics.def, a paragraph in
 * man/mha-viz-stats.1, a test with a value computed by hand. */
#ifndef ANALYSIS_METRIC_H
#define ANALYSIS_METRIC_H

#include <stdbool.h>

/* One finished row: query i, weights a over n_keys keys from key0. */
struct metric_row {
    int query;                  /* i */
    int key0, n_keys;
    const float *a;             /* [n_keys]; hidden keys are 0 */
    const unsigned char *hidden;    /* [n_keys] 1: masked; NULL: none is */
    int n_visible;              /* keys that are not masked */
    int n_queries, n_all_keys;  /* of the text */
    double entropy;             /* nats, from the forward pass */
    double max;                 /* the largest weight */
};

struct metric_opts {
    double entropy_eps;         /* 0: the exact entropy; else -sum a ln(a + eps) */
};

struct metric {
    const char *name;           /* in JSON and TSV: "entropy_norm" */
    const char *heading;        /* in the table: "norm" */
    const char *unit;           /* "nats", "tokens", "" for a share */
    double lo, hi;              /* range; hi 0: no fixed one */
    bool one_axis;              /* undefined where queries and keys are of two texts */
    const char *help;           /* one line */
    /* False where it is undefined for this row, which then counts in no mean. */
    bool (*row)(const struct metric_row *r, const struct metric_opts *o, double *v);
};

enum metric_id {
#define METRIC(name, ...) METRIC_##name,
#include "analysis/metrics.def"
#undef METRIC
    N_METRIC
};

extern const struct metric metric_table[N_METRIC];
extern const char *const metric_names[];    /* ends with NULL */

/* a_ij of row i, 0 where j is outside the text or hidden. */
double metric_weight(const struct metric_row *r, int j);

#endif
