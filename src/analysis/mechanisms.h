/* SPDX-License-Identifier: MIT
 * Comparison of attention mechanisms with the model's own, on the same queries, keys and values of
 * a layer: changes of the layer's output and of the attention rows, time and memory. */
#ifndef ANALYSIS_MECHANISMS_H
#define ANALYSIS_MECHANISMS_H

#include "run/mechanism.h"

/* A function that gets the results of each mechanism in a layer, one after another. */
struct mechanisms_arrays {
    /* rows [H, T, S]: those of wanted heads, others are not set; out [T, D]: the layer's output */
    void (*take)(void *self, int layer, enum mechanism_id id, const float *rows,
                 const float *out);
    void *self;
};

/* Options: which mechanisms are compared, and how. */
struct mechanisms_opts {
    const bool *only;           /* [N_MECHANISM]; NULL: all */
    const struct wanted *heads; /* heads whose rows count; NULL: all */
    struct mechanism_params params;
    const float *additive;      /* weights of `additive`; NULL: drawn */
    bool rows;                  /* attention rows are computed and compared */
    bool error;                 /* errors against the model's own attention are computed */
    const struct mechanisms_arrays *arrays;     /* requires rows; NULL: not wanted */
    int repeats;                /* repetitions for timing; 0: no timing */
    int kept_head;              /* head whose rows are stored; -1: none */
};

/* Results of one head of the model under one mechanism.  NaN: undefined, or not wanted. */
struct mechanism_head_result {
    double error;               /* |z' - z| / |z| of the head's own output [T, d_v], before
                                   the projection */
    double js, links_kept, entropy, scores;     /* as below, for this head alone */
};

/* Results of one mechanism in one layer.  NaN: undefined, or not wanted. */
struct mechanism_result {
    const char *refused;        /* why the mechanism cannot run here; NULL if it ran */
    char reason[160];           /* storage of refused */
    double error;               /* |Y' - Y| / |Y|, Y the layer's output [T, D] after
                                   projection and norm; root of the sum of squares */
    double js;                  /* nats, mean over rows that see a key: divergence.h */
    double links_kept;          /* share of those rows whose strongest key is the model's */
    double entropy;             /* nats, mean over those rows: -sum a ln a */
    double scores;              /* scores computed / pairs visible in the model; above 1 if a pair
                                   is computed twice */
    double seconds;             /* of this thread, all heads one by one; median */
    int64_t bytes;              /* memory of one head besides inputs and outputs */
    struct mechanism_head_result *head;     /* [H]; heads that the mechanism joins have the same */
};

/* Whether a mechanism is among those that are compared. */
static inline bool mechanisms_covers(const struct mechanisms_opts *opts, enum mechanism_id id)
{
    return opts->only == NULL || opts->only[id];
}

/* Number of mechanisms that are compared. */
static inline int mechanisms_count(const struct mechanisms_opts *opts)
{
    int n = 0;

    for (int id = 0; id < N_MECHANISM; id++)
        n += mechanisms_covers(opts, (enum mechanism_id)id);
    return n;
}

struct mechanisms {
    int n_layers;
    struct mechanism_result *result;    /* [n_layers, N_MECHANISM] */
    const struct mechanisms_opts *opts;
    const struct model *model;
    struct par *par;
    struct arena *a;
    float *kept;                /* [N_MECHANISM, T, S] rows of kept_head in the last layer so far;
                                   NaN where hidden or never computed */
};

/*
 * For one text of n_queries and n_keys positions.  The tap fills it, layer by layer; the arena must
 * be the one from which the pass allocates.
 */
struct mechanisms *mechanisms_new(struct arena *a, const struct model *model,
                                  const struct mechanisms_opts *opts, int n_queries,
                                  int n_keys, struct par *par);
struct tap mechanisms_tap(struct mechanisms *mechanisms);
const struct mechanism_result *mechanisms_at(const struct mechanisms *mechanisms, int layer,
                                             enum mechanism_id id);

/*
 * A tap that replaces the attention of every layer by one mechanism.  If it cannot run in some
 * layer, the pass ends with an error, and refused has the reason.
 */
struct mechanisms_replacement {
    enum mechanism_id id;
    const struct mechanisms_opts *opts;
    struct arena *a;
    const char *refused;
};
struct tap mechanisms_replacement_tap(struct mechanisms_replacement *replacement);

/* |x - y| / |y| of n numbers each; NaN if |y| is 0 or a number is not finite. */
double mechanisms_change(const float *x, const float *y, int64_t n);

#endif
