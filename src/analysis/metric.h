/* SPDX-License-Identifier: MIT
 *
 * A metric: a number, or a list of them, per head of a text.  Adding one: its rule (its
 * formula, and its source) in the file of its kind, a line in metrics.def, a paragraph in
 * man/mha-viz-metrics.7, a test with a value computed by hand. */
#ifndef ANALYSIS_METRIC_H
#define ANALYSIS_METRIC_H

#include "analysis/slots.h"
#include "base/progress.h"
#include "run/row.h"

/* One finished row: query i, weights a over n_keys keys from key0. */
struct metric_row {
    int layer, head;
    int query;                  /* i */
    int key0, n_keys;
    const float *a;             /* [n_keys] sum to 1, less null_mass; hidden keys are 0 */
    const unsigned char *hidden;    /* [n_keys] 1: masked; NULL: none is */
    const unsigned char *out;   /* [all keys] 1: left out (--hide); NULL: none is */
    int n_visible;              /* keys that are not masked; >= 1 */
    double entropy;             /* nats */
    double null_mass;           /* what a sink of the model took; NaN: it has none */
    const struct token_list *queries, *keys;    /* of the text: ids, pieces, special */
    bool two_axes;              /* those are of two texts */
    const struct metric_opts *opts;
    const struct scan *scan;    /* of a; NULL: not yet */
};

/* Rows of a head one after the other: each sees a key, no key is left out, and entropies are
 * exact. */
struct metric_block {
    struct metric_row row;      /* the first of them; scan NULL */
    int n_rows;                 /* at most ATTEND_ROWS */
    size_t stride;              /* weights, and marks, from one row to the next */
    const int *n_visible;       /* [n_rows] */
    const double *entropy;      /* [n_rows] */
    const double *null_mass;    /* [n_rows]; NULL: the model has none */
    const double *ln;           /* [n_visible at most + 1] logarithms of whole numbers */
    const float *largest;       /* [n_rows] weights */
    struct scan_sums sums;      /* of the rows */
    struct metric_found *found;
};

enum { METRIC_NEAR = 16 };

/* What metrics of a block share: found where the first of them asks. */
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

/* How often tokens occur in a corpus. */
struct metric_counts {
    const int64_t *count;       /* [n] by id; of others 0 */
    const unsigned char *common;    /* [n] 1: one of the 500 that occur most often */
    int n;
};

/* Those of count[n], which they keep; of equal counts at the cut the smaller id is common. */
struct metric_counts *metric_counts_new(struct arena *a, const int64_t *count, int n);

struct metric_rule;

struct metric_opts {
    double entropy_eps;         /* 0: the exact entropy; else -sum a ln(a + eps) */
    int n_clusters;             /* at most, of js_cluster; 0: of js, mds and js_cluster only js
                                   is wanted */
    int budget[METRIC_BUDGETS]; /* keys that a cache keeps; 0: there are fewer budgets */
    int stream_first, stream_last;      /* keys that a stream keeps */
    int prompt, snap_window;    /* of cache_snapkv; prompt 0: half of the text */
    const double *spectral;     /* [layers, heads] of spectral.h; NULL: undefined */
    const struct metric_counts *counts;     /* of rare1 and so on; NULL: undefined */
    const struct metric_rule *by_row;       /* of metric_rows: one that has `row` */
};

/* What is computed where nothing is said. */
static inline struct metric_opts metric_opts_default(void)
{
    return (struct metric_opts){ .n_clusters = 8, .budget = { 16, 64, 256 }, .stream_first = 4,
                                 .stream_last = 64, .snap_window = 32 };
}

/* What a metric must see at once. */
enum metric_scope {
    SCOPE_ROW,      /* one row: the head's number is the mean over its rows */
    SCOPE_HEAD,     /* all rows of a head */
    SCOPE_LAYER,    /* all heads of a layer */
    SCOPE_TEXT      /* all layers */
};

/* Sizes of a text's attention, which decide on the size of a state. */
struct metric_shape {
    int n_queries, n_keys, n_layers, n_heads;
    const struct metric_opts *opts;     /* as long as the states */
    int d_head;                 /* width of queries, keys and values; at most, of two stacks */
    int n_kv_heads;             /* each with the same number of heads; 0: as many as these */
};

/*
 * What metrics of more than a row keep for each head, layer or text: it starts as zeros.
 * Metrics with the same one share it, so that several numbers cost one walk over the rows.
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
     * After the last row, before any value is asked for; NULL: there is nothing to do.
     * Room of scratch lasts for the call.  What takes long says so by progress_ran.
     */
    void (*finish)(void *state, struct arena *scratch, struct progress *progress);
    /*
     * What a head reads, all of it, before its rows; NULL: nothing is looked at.  Its values
     * last until the layer's rows have been handed out.  Not called where rows are of a file.
     */
    void (*look)(void *state, const struct qkv_view *v, int head);
    /* Before the pass, for what a size alone does not say; NULL: zeros will do. */
    void (*start)(void *state, const struct metric_shape *shape, struct arena *a);
    /* Of SCOPE_HEAD, as take of each row of a block; NULL: row by row. */
    void (*take_block)(void *state, const struct metric_block *b);
};

/* How a metric is computed: by row, or of a state. */
struct metric_rule {
    /* False where it is undefined for this row, which then counts in no mean. */
    bool (*row)(const struct metric_row *r, double *v);
    /* The sum over the rows of a block that have one, and how many do; NULL: row by row. */
    int (*block)(const struct metric_block *b, double *sum);

    const struct metric_state *state;   /* NULL: by row */
    /* After the last row.  False: undefined.  METRIC_WORD: the number of the word. */
    bool (*value)(const void *state, int layer, int head, double *v);

    /*
     * METRIC_LIST, in place of value: at most `length` numbers, NaN for those that are
     * undefined.  Returns how many; -1: the list itself is undefined.
     */
    int (*list)(const void *state, int layer, int head, double *v);
    int (*length)(const struct metric_shape *shape);
    const char *const *words;   /* of METRIC_WORD; ends with NULL */
    /* METRIC_MAP, of SCOPE_TEXT, in place of value: [queries, keys]; NULL: undefined. */
    const double *(*map)(const void *state);

    bool counts;        /* undefined without opts->counts */
    bool between;       /* of heads that are compared: over texts, of the mean of js, apart.h */
};

/* What asks for a metric, but for its name. */
enum metric_group {
    METRIC_BASIC,   /* nothing: it is always computed, and a column of the table */
    METRIC_ALL,     /* --metric all */
    METRIC_SCALE,   /* --metric scale, and so on: where a metric has the group's name, the
                       group is meant */
    METRIC_SINKS,
    METRIC_PROFILE,
    METRIC_ROPE,
    METRIC_CACHE,
    METRIC_STREAMING,
    METRIC_NAMED,   /* nothing else: it takes much time or memory, or is of labels alone */
    N_METRIC_GROUP
};

extern const char *const metric_group_names[N_METRIC_GROUP];    /* NULL: METRIC_NAMED */

enum metric_kind {
    METRIC_NUMBER,
    METRIC_LIST,    /* of numbers: in JSON only */
    METRIC_WORD,    /* metric_ID_words[value] */
    METRIC_CLUSTER, /* the number of one, from 0; it has no mean */
    METRIC_MAP      /* of the text, not of a head: a number for each query and key; of all
                       layers and heads; in JSON only */
};

struct metric {
    const char *name;           /* in JSON and TSV: "entropy_norm" */
    const char *heading;        /* in the table: "norm" */
    const char *unit;           /* "nats", "tokens", "" for a share */
    enum metric_kind kind;
    bool one_axis;              /* undefined where queries and keys are of two texts */
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
/* Which of these words a map with such numbers is; block 0 or NaN: there is none. */
int metric_kovaleva_class(double vertical, double diagonal, double block);

/* Bytes that js, mds and js_cluster keep of a text of so many queries and keys, as each is of
 * all heads. */
double metric_between_bytes(double n_heads, double n_queries, double n_keys);

/* Not of metrics.def: a list, of each query the value of opts->by_row; NaN: it has none. */
extern const struct metric_rule metric_rows;
/* Neither: the key that sink_long is of. */
extern const struct metric_rule metric_sink_key;

/* Tokens; in a text of no more, all is near, and some key always gets much. */
enum { METRIC_LONG_TEXT = 32 };

extern const struct metric metric_table[N_METRIC];

static inline enum metric_scope metric_scope(const struct metric *m)
{
    return m->rule->state != NULL ? m->rule->state->scope : SCOPE_ROW;
}

/* What a pass over a tells: one for all metrics that ask. */
static inline struct scan metric_scan(const struct metric_row *r)
{
    return r->scan != NULL ? *r->scan : row_scan(r->a, r->n_keys, r->key0, r->query);
}

/* Row t of the block. */
struct metric_row metric_block_row(const struct metric_block *b, int t);

/* Its rows as facts.h takes them. */
struct facts_rows metric_block_facts(const struct metric_block *b);

const struct facts_shape *metric_block_shape(const struct metric_block *b);

/* What the largest weights sum to, and how many sum to 0.9; NULL: the rows are too long. */
const struct facts_top *metric_block_top(const struct metric_block *b);

const struct metric_entropies *metric_block_entropies(const struct metric_block *b);

/* [METRIC_NEAR + 1] of each distance from 0 on: the sum of the weights on keys so far away. */
const double *metric_block_near(const struct metric_block *b);

/* Row by row. */
void metric_block_each(void *state, const struct metric_block *b,
                       void (*take)(void *state, const struct metric_row *rows, int n));

/* The sum of n numbers, step from one to the next, in four lanes. */
double metric_sum(const float *w, size_t step, int n);
double metric_sum_double(const double *x, int n);

/* The sum of the weights of each row on the key `away` from its query, 0 where there is none;
 * of all of them. */
double metric_sum_away(const struct metric_block *b, int away);

/* False where key j is left out, so that nothing can be said of it. */
static inline bool metric_has(const struct metric_row *r, int j)
{
    return r->out == NULL || !r->out[j];
}

/* True if key j is one of the n_visible. */
static inline bool metric_sees(const struct metric_row *r, int j)
{
    return j >= r->key0 && j < r->key0 + r->n_keys &&
           (r->hidden == NULL || !r->hidden[j - r->key0]);
}

/* True if the row sees a key after its own. */
static inline bool metric_looks_ahead(const struct metric_row *r)
{
    for (int j = r->query + 1; j < r->key0 + r->n_keys; j++)
        if (metric_sees(r, j))
            return true;
    return false;
}

/* True of a token that ends a text, or a decoder's start. */
static inline bool metric_ends(const struct token_list *list, int i)
{
    return list->mark != NULL && (list->mark[i] & TOKEN_ENDS) != 0;
}

/* True where places are those of patches in a picture, not of tokens in a text. */
static inline bool metric_in_plane(const struct metric_row *r)
{
    return r->queries->columns > 0 && !r->two_axes;
}

/* Patch of a picture, not [CLS] or the like. */
static inline bool metric_is_patch(const struct metric_row *r, int i)
{
    return i >= r->queries->n_before && i < r->queries->n;
}

/* From patch i to patch j, in patches. */
double metric_plane_away(const struct metric_row *r, int i, int j);

/* a_ij of row i, 0 where j is outside the text or hidden. */
static inline double metric_weight(const struct metric_row *r, int j)
{
    return j < r->key0 || j >= r->key0 + r->n_keys ? 0 : (double)r->a[j - r->key0];
}

/* The first key of the largest weight, tokens that end a text left out as rows and as keys;
 * -1: there is none. */
int metric_strongest(const struct metric_row *r);

#endif
