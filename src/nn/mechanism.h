/* SPDX-License-Identifier: MIT
 *
 * Attention mechanisms: functions from the queries, keys and values of one head to outputs.
 * A mechanism is a file in mechanism/ and a line in mechanisms.def.  Each has a plain
 * reference that computes its matrix of weights, and a fast version that computes only
 * outputs, in scratch memory whose size it gives in advance.
 *
 * Rows i are queries, columns j keys; s_ij = scale q_i.k_j, capped if the model caps, plus
 * the model's terms of positions; only keys that are visible to row i in the model count. */
#ifndef NN_MECHANISM_H
#define NN_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/attend.h"

enum { MECHANISM_BUDGET = 16 };     /* default budget of h2o and quest */

/* Parameters of all mechanisms; each reads its own.  All > 0 unless 0 is listed. */
struct mechanism_params {
    int budget;             /* keys per row, for all mechanisms that choose some; 0: by the size
                               of each, h2o and quest MECHANISM_BUDGET */
    int window;             /* local, global, sinks: keys on either side */
    int n_global;           /* global: first tokens, which all see and which see all */
    int stride;             /* strided, fixed; 0: the root of T, rounded up */
    int n_columns;          /* fixed: last tokens of each stride, which all see; <= stride */
    int block;              /* block: tokens of a block */
    int top_k;              /* top-k: keys per row */
    int sinks;              /* sinks: first tokens, which all see; < budget */
    int recent;             /* h2o: how many of the kept keys are the latest, <= budget; 0: half,
                               rounded up */
    int page;               /* quest: tokens of a page */
    int n_groups;           /* gqa: number of key/value heads; 0: the largest possible below the
                               model's */
    int bits;               /* kivi: 1 to 8 */
    int rank;               /* low-rank */
    int segments;           /* linformer */
    int n_features;         /* favor */
    int n_buckets;          /* lsh: even; 0: as many as fill half a chunk each */
    int n_rounds, chunk;    /* lsh: rounds of hashing; tokens of a chunk in sorted order */
    int additive_width;     /* additive: width of its hidden layer; 0: that of a head */
    uint64_t seed;          /* of random weights */
};

struct mechanism;

/* Inputs of one head of one text. */
struct attention {
    const struct mechanism *mechanism;  /* the mechanism that computes the attention */
    const float *q, *k, *v;             /* [T, d], [S, d], [S, d_v] */
    int64_t q_stride, k_stride, v_stride;       /* floats from row to row */
    int T, head;                        /* queries; number of the head */
    struct attend at;                   /* S, widths, scale, hidden keys, terms, cap;
                                           hidden has all T rows */
    bool cross;                         /* keys belong to another text than queries */
    bool alike;                         /* masks and terms of `at` are the same for all heads */
    const struct mechanism_params *params;
    const float *weights;               /* weights of the mechanism, for all heads; NULL: none */
};

/* How many adjacent heads of the model are one head of the mechanism. */
enum join { JOIN_NONE, JOIN_PAIRS, JOIN_ALL };

struct mechanism {
    const char *name;           /* "local" */
    const char *formula;        /* one line, in the notation above */
    const char *cost;           /* multiplications, up to a factor: "N w d" */
    const char *growth;         /* growth of the cost with the length alone: "N" */
    const char *source;
    enum join join;
    bool grouped;               /* keys and values are means over params->n_groups groups
                                   of the model's heads */
    bool sparse;                /* a weight of 0 means that the key is left out */
    const char *no_budget;      /* why params->budget has no effect, without a full stop; NULL: it
                                   has, or the mechanism uses all keys, as the baseline */

    /* Differences from other mechanisms that are computed in the same way; NULL: none. */
    const struct pair_steps *steps;     /* for mechanisms that score every pair: pairs.h */
    const struct pair_formula *pairs;   /* of the reference; NULL: softmax over all */
    const struct chosen_steps *chosen;  /* for mechanisms that choose keys by data: chosen.h */
    /* Writes the keys of row i in [first, end), ascending, to key; returns their number. */
    int (*keys)(int *key, const struct attention *a, int i, int first, int end);

    /* Why it cannot run on these inputs, without a full stop; NULL if it can. */
    const char *(*refuse)(const struct attention *a);

    /* Number of floats of its own weights for texts of T tokens; NULL: it has none. */
    uint64_t (*n_weights)(const struct mechanism_params *p, int T, int H, int d);

    /* Draws these weights from params->seed. */
    void (*draw)(float *weights, const struct mechanism_params *p, int T, int H, int d);

    /* Bytes of scratch memory for run, aligned to 64. */
    uint64_t (*room)(const struct attention *a);

    /*
     * Sets out[T, d_v], row i at out + i * out_stride, to the outputs; those of rows that see no
     * key are 0.  Returns how many scores were computed: pairs of a row and a visible key.
     */
    int64_t (*run)(float *out, int64_t out_stride, const struct attention *a, void *room);

    /* Bytes of scratch memory for reference; NULL: none. */
    uint64_t (*reference_room)(const struct attention *a);

    /*
     * w[T, S] and out[T, d_v] in double, from the formula.  Rows sum to 1, or are 0
     * where nothing is seen.
     */
    void (*reference)(double *w, double *out, const struct attention *a, void *room);
};

/* In the order of mechanisms.def; the first is the model's own attention. */
enum mechanism_id {
#define MECHANISM(id, name) MECHANISM_##id,
#include "nn/mechanisms.def"
#undef MECHANISM
    N_MECHANISM
};
#define MECHANISM(id, name) extern const struct mechanism mechanism_##id;
#include "nn/mechanisms.def"
#undef MECHANISM
extern const struct mechanism *const mechanism_table[N_MECHANISM];
extern const char *const mechanism_names[];     /* ends with NULL */

/* How many of H heads are one head of the mechanism; 0 if H is not a multiple of it. */
int mechanism_joined(enum join join, int H);

/*
 * The number of groups in which G key/value heads are averaged: params->n_groups, or the largest
 * divisor of G below it; 0 if there is none.
 */
int mechanism_groups(const struct mechanism_params *params, int G);

/* Sizes for texts of T tokens, if params have 0. */
int mechanism_stride(const struct mechanism_params *params, int T);
int mechanism_buckets(const struct mechanism_params *params, int T);
int mechanism_recent(const struct mechanism_params *params);

/*
 * The parameters with all sizes for T tokens and G key/value heads; n_groups 0: there is no
 * smaller number of heads.
 */
struct mechanism_params mechanism_params_used(const struct mechanism_params *params, int T, int G);

#endif
