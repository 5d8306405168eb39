/* SPDX-License-Identifier: MIT
 *
 * A metric: a number, or a list of numbers, per head of a text.  To add one: its rule (with formula
 * and source) in the file of its kind, a line in metrics.def, a paragraph in
 * man/mha-viz-metrics.7, a test with a value computed by hand. */
#ifndef ANALYSIS_METRIC_H
#define ANALYSIS_METRIC_H

#include "analysis/slots.h"
#include "base/progress.h"
#include "run/row.h"

/* One row of attention: query i, weights a over n_keys keys from key0. */
struct metric_row {
    int layer, head;
    int query;                  /* i */
    int key0, n_keys;
    const float *a;             /* [n_keys] sum to 1 - null_mass; hidden keys are 0 */
    const unsigned char *hidden;    /* [n_keys] 1: masked; NULL if no key is masked */
    const unsigned char *out;   /* [all keys] 1: left out by --hide; NULL if none is */
    int n_visible;              /* number of keys that are not masked; >= 1 */
    double entropy;             /* nats */
    double null_mass;           /* weight of the model's attention sink; NaN if it has none */
    const struct token_list *queries, *keys;    /* of the text: ids, pieces, special */
    bool two_axes;              /* queries and keys are of two texts */
    const struct metric_opts *opts;
    const struct scan *scan;    /* row_scan of a; NULL: not computed yet */
};

/* A block of consecutive rows of a head: each sees a key, no key is left out by --hide, and
 * entropies are exact (entropy_eps 0). */
struct metric_block {
    struct metric_row row;      /* the first row; scan NULL */
    int n_rows;                 /* at most ATTEND_ROWS */
    size_t stride;              /* elements of a and hidden from one row to the next */
    const int *n_visible;       /* [n_rows] */
    const double *entropy;      /* [n_rows] */
    const double *null_mass;    /* [n_rows]; NULL if the model has no attention sink */
    const double *ln;           /* [largest n_visible + 1] logarithms of whole numbers */
    const float *largest;       /* [n_rows] largest weights */
    struct scan_sums sums;      /* sums of distances over the rows */
    struct metric_found *found;
};

enum { METRIC_NEAR = 16 };

/* Results that metrics of a block share, computed when first required. */
struct metric_found {
    bool has_shape, has_top, has_near, has_entropies;
    /* Sums of H, of ln n, and of H / ln n over the n_norm rows that see more than a key. */
    struct metric_entropies { double sum, sum_ln, sum_norm; int n_norm; } entropies;
    struct facts_shape shape;
    struct facts_top top;
    double near[METRIC_NEAR + 1];
    struct facts_room room;
};

enum { METRIC_BUDGETS = 3 };

/* Counts of tokens in a corpus. */
struct metric_counts {
    const int64_t *count;       /* [n] by id; other ids have 0 */
    const unsigned char *common;    /* [n] 1: one of the 500 most frequent */
    int n;
};

/* From count[n], which is borrowed; among equal counts at the limit the smaller id is common. */
struct metric_counts *metric_counts_new(struct arena *a, const int64_t *count, int n);

struct metric_rule;

struct metric_opts {
    double entropy_eps;         /* 0: the exact entropy; else -sum a ln(a + eps) */
    int n_clusters;             /* most clusters of js_cluster; 0: of js, mds and js_cluster only js
                                   is computed */
    int budget[METRIC_BUDGETS]; /* keys in a bounded cache, for cache_*; 0: fewer budgets */
    int stream_first, stream_last;      /* first and last keys kept in streaming attention */
    int prompt, snap_window;    /* for cache_snapkv; prompt 0: half of the text */
    const double *spectral;     /* [layers, heads] from spectral.h; NULL: undefined */
    const struct metric_counts *counts;     /* for rare1 and others; NULL: undefined */
    const struct metric_rule *by_row;       /* for metric_rows: a rule that has `row` */
};

/* The default options. */
static inline struct metric_opts metric_opts_default(void)
{
    return (struct metric_opts){ .n_clusters = 8, .budget = { 16, 64, 256 }, .stream_first = 4,
                                 .stream_last = 64, .snap_window = 32 };
}

/* The rows that a metric requires together. */
enum metric_scope {
    SCOPE_ROW,      /* one row: the head's number is the mean over its rows */
    SCOPE_HEAD,     /* all rows of a head */
    SCOPE_LAYER,    /* all heads of a layer */
    SCOPE_TEXT      /* all layers */
};

/* Sizes of a text's attention, from which sizes of states follow. */
struct metric_shape {
    int n_queries, n_keys, n_layers, n_heads;
    const struct metric_opts *opts;     /* must last as long as the states */
    int d_head;                 /* width of queries, keys and values; the larger of two stacks' */
    int n_kv_heads;             /* key/value heads; 0: n_heads */
};

/*
 * The state that metrics of more than one row keep for each head, layer or text, initially zeros.
 * Metrics with the same struct share it, so that several numbers cost one walk over the rows.
 */
struct metric_state {
    enum metric_scope scope;    /* not SCOPE_ROW */
    size_t (*size)(const struct metric_shape *shape);   /* bytes */
    /*
     * Gets the rows in order: one at a time for SCOPE_HEAD, else the rows of one query in
     * all wanted heads of a layer (rows that see no key are left out).
     */
    void (*take)(void *state, const struct metric_row *rows, int n);
    /*
     * Called after the last row, before any value is read; may be NULL.  Memory of scratch lasts
     * for the call.  Long computations call progress_ran.
     */
    void (*finish)(void *state, struct arena *scratch, struct progress *progress);
    /*
     * Gets the inputs of a head's attention before its rows; may be NULL.  The vectors last until
     * the sinks have got the layer's rows.  Not called for rows from a file.
     */
    void (*look)(void *state, const struct qkv_view *v, int head);
    /* Initialises the state before the pass; NULL: zeros. */
    void (*start)(void *state, const struct metric_shape *shape, struct arena *a);
    /* SCOPE_HEAD: has the effect of take for each row of a block; NULL: called row by row. */
    void (*take_block)(void *state, const struct metric_block *b);
};

/* The rule by which a metric is computed: from each row, or from a state. */
struct metric_rule {
    /* *v = the value of a row; false if undefined: the row then does not count in the mean. */
    bool (*row)(const struct metric_row *r, double *v);
    /* *sum = the sum over the rows of a block that have a value; returns their number; NULL:
     * computed
       row by row. */
    int (*block)(const struct metric_block *b, double *sum);

    const struct metric_state *state;   /* NULL: by row */
    /* The value after the last row; false: undefined.  METRIC_WORD: the index of the word. */
    bool (*value)(const void *state, int layer, int head, double *v);

    /*
     * METRIC_LIST, in place of value: at most `length` numbers, NaN for undefined ones.  Returns
     * how many; -1: the list itself is undefined.
     */
    int (*list)(const void *state, int layer, int head, double *v);
    int (*length)(const struct metric_shape *shape);
    const char *const *words;   /* for METRIC_WORD; ends with NULL */
    /* METRIC_MAP, with SCOPE_TEXT, in place of value: [queries, keys]; NULL: undefined. */
    const double *(*map)(const void *state);

    bool counts;        /* undefined without opts->counts */
    bool between;       /* compares heads: over texts it is computed from the mean js, apart.h */
};

/* The option that chooses a metric, besides its name. */
enum metric_group {
    METRIC_BASIC,   /* always computed, and a column of tables */
    METRIC_ALL,     /* --metric all */
    METRIC_SCALE,   /* --metric scale, and so on: if a metric has the name of a group, the name
                       means the group */
    METRIC_SINKS,
    METRIC_PROFILE,
    METRIC_ROPE,
    METRIC_CACHE,
    METRIC_STREAMING,
    METRIC_NAMED,   /* only its name: it takes much time or memory, or serves labels alone */
    N_METRIC_GROUP
};

extern const char *const metric_group_names[N_METRIC_GROUP];    /* NULL: METRIC_NAMED */

enum metric_kind {
    METRIC_NUMBER,
    METRIC_LIST,    /* of numbers: in JSON only */
    METRIC_WORD,    /* metric_ID_words[value] */
    METRIC_CLUSTER, /* the number of a cluster, from 0; it has no mean */
    METRIC_MAP      /* of the text, over all layers and heads: a number for each query and key; in
                       JSON only */
};

struct metric {
    const char *name;           /* in JSON and TSV: "entropy_norm" */
    const char *heading;        /* in the table: "norm" */
    const char *unit;           /* "nats", "tokens", "" for a share */
    enum metric_kind kind;
    bool one_axis;              /* undefined if queries and keys are of two texts */
    enum metric_group group;
    const char *help;           /* one line */
    const struct metric_rule *rule;
};

enum metric_id {
#define METRIC(id, ...) METRIC_##id,
#include "analysis/metrics.def"
#undef METRIC
    N_METRIC
};

#define METRIC(id, ...) extern const struct metric_rule metric_##id;
#include "analysis/metrics.def"
#undef METRIC

extern const char *const metric_kovaleva_words[];   /* ends with NULL */
/* Index of the word for a map with these numbers; block 0 or NaN: no block. */
int metric_kovaleva_class(double vertical, double diagonal, double block);

/* Bytes that js, mds and js_cluster store for a text of so many queries and keys: the rows of all
 * heads. */
double metric_between_bytes(double n_heads, double n_queries, double n_keys);

/* A rule outside metrics.def: a list with the value of opts->by_row for each query; NaN if
 * undefined. */
extern const struct metric_rule metric_rows;
/* Another: the key whose weight sink_long is. */
extern const struct metric_rule metric_sink_key;

/* Length of a text in tokens up to which it counts as short: all is near, and some key always gets
 * much weight. */
enum { METRIC_LONG_TEXT = 32 };

extern const struct metric metric_table[N_METRIC];

static inline enum metric_scope metric_scope(const struct metric *metric)
{
    return metric->rule->state != NULL ? metric->rule->state->scope : SCOPE_ROW;
}

/* row_scan of the weights, shared by all metrics. */
static inline struct scan metric_scan(const struct metric_row *row)
{
    return row->scan != NULL ? *row->scan : row_scan(row->a, row->n_keys, row->key0, row->query);
}

/* Row t of the block. */
struct metric_row metric_block_row(const struct metric_block *block, int t);

/* Its rows in the form of nn/facts.h. */
struct facts_rows metric_block_facts(const struct metric_block *block);

const struct facts_shape *metric_block_shape(const struct metric_block *block);

/* Sums of the largest weights, and how many sum to 0.9; NULL: the rows are too long. */
const struct facts_top *metric_block_top(const struct metric_block *block);

const struct metric_entropies *metric_block_entropies(const struct metric_block *block);

/* [METRIC_NEAR + 1] the sum of the weights at each distance, from 0 on. */
const double *metric_block_near(const struct metric_block *block);

/* Calls take for each row of the block. */
void metric_block_each(void *state, const struct metric_block *block,
                       void (*take)(void *state, const struct metric_row *rows, int n));

/* The sum of n numbers with stride step, in four lanes. */
double metric_sum(const float *w, size_t step, int n);
double metric_sum_double(const double *x, int n);

/* The sum over all rows of the weight on the key at offset `away` from the query, 0 if there is
 * none. */
double metric_sum_away(const struct metric_block *block, int away);

/* False if key j is left out by --hide, so that its weight is unknown. */
static inline bool metric_has(const struct metric_row *row, int j)
{
    return row->out == NULL || !row->out[j];
}

/* True if key j is one of the n_visible. */
static inline bool metric_sees(const struct metric_row *row, int j)
{
    return j >= row->key0 && j < row->key0 + row->n_keys &&
           (row->hidden == NULL || !row->hidden[j - row->key0]);
}

/* True if the row sees a key after its own. */
static inline bool metric_looks_ahead(const struct metric_row *row)
{
    for (int j = row->query + 1; j < row->key0 + row->n_keys; j++)
        if (metric_sees(row, j))
            return true;
    return false;
}

/* True for a token that ends a text, or starts a decoder's. */
static inline bool metric_ends(const struct token_list *list, int i)
{
    return list->mark != NULL && (list->mark[i] & TOKEN_ENDS) != 0;
}

/* True if positions are those of patches in a picture, not of tokens in a text. */
static inline bool metric_in_plane(const struct metric_row *row)
{
    return row->queries->columns > 0 && !row->two_axes;
}

/* True for a patch of a picture, not [CLS] or similar. */
static inline bool metric_is_patch(const struct metric_row *row, int i)
{
    return i >= row->queries->n_before && i < row->queries->n;
}

/* The distance from patch i to patch j, in patches. */
double metric_plane_away(const struct metric_row *row, int i, int j);

/* a_ij of row i, 0 if j is outside the text or hidden. */
static inline double metric_weight(const struct metric_row *row, int j)
{
    return j < row->key0 || j >= row->key0 + row->n_keys ? 0 : (double)row->a[j - row->key0];
}

/* The key of the largest weight, the first among equals; tokens that end a text do not count as
 * rows or keys; -1 if there is none. */
int metric_strongest(const struct metric_row *row);

#endif
