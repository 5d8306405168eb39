/* SPDX-License-Identifier: MIT
 * Mechanisms of attention besides the model's own, on the same queries, keys and values of
 * a layer: what each does to the layer's output and to the rows, and what it costs. */
#ifndef ANALYSIS_MECHANISMS_H
#define ANALYSIS_MECHANISMS_H

#include "run/mechanism.h"

/* Takes what each mechanism makes of a layer, one after another. */
struct mechanisms_arrays {
    /* rows [H, T, S] of the wanted heads, the others are not written; out [T, D] the
       layer's output */
    void (*take)(void *self, int layer, enum mechanism_id id, const float *rows,
                 const float *out);
    void *self;
};

/* What is compared, and how far. */
struct mechanisms_opts {
    const bool *only;           /* [N_MECHANISM]; NULL: all */
    const struct wanted *heads; /* whose rows count; NULL: all */
    struct mechanism_params params;
    const float *additive;      /* weights of `additive`; NULL: drawn */
    bool rows;                  /* rows are made and compared */
    bool error;                 /* the model's own attention runs, for what is compared
                                   with it */
    const struct mechanisms_arrays *arrays;     /* requires rows; NULL: not wanted */
    int repeats;                /* of what is timed; 0: nothing is */
    int kept_head;              /* whose rows are kept; -1: none */
};

/* Of one head of the model under one mechanism.  NaN: undefined, or not asked for. */
struct mechanism_head_result {
    double error;               /* |z' - z| / |z| of the head's own output [T, d_v], before
                                   the projection */
    double js, links_kept, entropy, scores;     /* as below, of this head alone */
};

/* Of one mechanism in one layer.  NaN: undefined, or not asked for. */
struct mechanism_result {
    const char *refused;        /* why there is nothing else; NULL: there is */
    char reason[160];           /* what refused is */
    double error;               /* |Y' - Y| / |Y|, Y the layer's output [T, D] after
                                   projection and norm; root of the sum of squares */
    double js;                  /* nats, mean over rows that see a key: divergence.h */
    double links_kept;          /* share of those whose strongest key is the model's */
    double entropy;             /* nats, mean over the same: -sum a ln a */
    double scores;              /* pairs whose score was computed, as share of those that
                                   the model lets see; a key may be met twice: above 1 */
    double seconds;             /* of this thread, all heads one by one; median */
    int64_t bytes;              /* besides inputs and outputs, of one head */
    struct mechanism_head_result *head;     /* [H], of a joined head at each of its own */
};

/* Whether a mechanism is among those that are compared. */
static inline bool mechanisms_covers(const struct mechanisms_opts *opts, enum mechanism_id id)
{
    return opts->only == NULL || opts->only[id];
}

/* How many are compared. */
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
    float *kept;                /* [N_MECHANISM, T, S] rows of kept_head of the last layer
                                   that came; hidden and never computed ones NaN */
};

/*
 * For one text of n_queries and n_keys positions.  The tap fills it, layer by layer; the
 * arena is the one that the pass allocates from.
 */
struct mechanisms *mechanisms_new(struct arena *a, const struct model *m,
                                  const struct mechanisms_opts *o, int n_queries,
                                  int n_keys, struct par *par);
struct tap mechanisms_tap(struct mechanisms *c);
const struct mechanism_result *mechanisms_at(const struct mechanisms *c, int layer,
                                             enum mechanism_id id);

/*
 * A tap that lets one mechanism attend in every layer.  An attention that it cannot do
 * ends the pass with an error; refused then says why.
 */
struct mechanisms_replacement {
    enum mechanism_id id;
    const struct mechanisms_opts *opts;
    struct arena *a;
    const char *refused;
};
struct tap mechanisms_replacement_tap(struct mechanisms_replacement *r);

/* |x - y| / |y| of n numbers each; NaN where |y| is 0 or one is not finite. */
double mechanisms_change(const float *x, const float *y, int64_t n);

#endif
