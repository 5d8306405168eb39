/* SPDX-License-Identifier: MIT
 *
 * A metric: one number per head of a text.  Adding one: a file with its rule (its
 * formula, and its source), a line in metrics.def, a paragraph in
 * man/mha-viz-stats.1, a test with a value computed by hand. */
#ifndef ANALYSIS_METRIC_H
#define ANALYSIS_METRIC_H

#include "analysis/slots.h"

/* One finished row: query i, weights a over n_keys keys from key0. */
struct metric_row {
    int layer, head;
    int query;                  /* i */
    int key0, n_keys;
    const float *a;             /* [n_keys]; hidden keys are 0 */
    const unsigned char *hidden;    /* [n_keys] 1: masked; NULL: none is */
    const unsigned char *out;   /* [all keys] 1: left out (--hide); NULL: none is */
    int n_visible;              /* keys that are not masked; >= 1 */
    double entropy;             /* nats, of the row divided by its mass */
    double mass;                /* what a sums to: 1, unless keys are left out */
    const struct token_list *queries, *keys;    /* of the text: ids, pieces, special */
};

struct metric_opts {
    double entropy_eps;         /* 0: the exact entropy; else -sum a ln(a + eps) */
};

/* What a metric must see at once. */
enum metric_scope {
    SCOPE_ROW,      /* one row: the head's number is the mean over its rows */
    SCOPE_HEAD,     /* all rows of a head */
    SCOPE_LAYER,    /* all heads of a layer */
    SCOPE_TEXT      /* all layers */
};

/* Sizes of a text's attention, which decide on the size of a state. */
struct metric_shape { int n_queries, n_keys, n_layers, n_heads; };

/* How a metric is computed. */
struct metric_rule {
    enum metric_scope scope;
    /* SCOPE_ROW.  False where it is undefined for this row, which then counts in no
     * mean. */
    bool (*row)(const struct metric_row *r, const struct metric_opts *o, double *v);

    /*
     * The other scopes: a state for each head, layer or text, which starts as zeros.
     * take gets the rows in order: one at a time for SCOPE_HEAD, else the rows of one
     * query in all wanted heads of a layer (rows that see no key are left out).
     */
    size_t (*state_size)(const struct metric_shape *shape);     /* bytes */
    void (*take)(void *state, const struct metric_row *rows, int n);
    /* After the last row.  False: undefined. */
    bool (*value)(const void *state, int layer, int head, double *v);

    bool divided;       /* of rows divided by their mass, where keys are left out; else of
                           the weights as they are */
};

struct metric {
    const char *name;           /* in JSON and TSV: "entropy_norm" */
    const char *heading;        /* in the table: "norm" */
    const char *unit;           /* "nats", "tokens", "" for a share */
    double lo, hi;              /* range; hi 0: no fixed one */
    bool one_axis;              /* undefined where queries and keys are of two texts */
    bool shown;                 /* a column of the table, without being asked for */
    const char *help;           /* one line */
    const struct metric_rule *rule;
};

enum metric_id {
#define METRIC(name, ...) METRIC_##name,
#include "analysis/metrics.def"
#undef METRIC
    N_METRIC
};

#define METRIC(name, ...) extern const struct metric_rule metric_##name;
#include "analysis/metrics.def"
#undef METRIC

extern const struct metric metric_table[N_METRIC];

/* False where key j is left out, so that nothing can be said of it. */
static inline bool metric_has(const struct metric_row *r, int j)
{
    return r->out == NULL || !r->out[j];
}

/* a_ij of row i, 0 where j is outside the text or hidden. */
static inline double metric_weight(const struct metric_row *r, int j)
{
    return j < r->key0 || j >= r->key0 + r->n_keys ? 0 : (double)r->a[j - r->key0];
}

#endif
