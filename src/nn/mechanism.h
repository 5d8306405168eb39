/* SPDX-License-Identifier: MIT
 *
 * Mechanisms of attention: what one head does with its queries, keys and values.
 * A mechanism is a file in mechanism/ and a line in mechanisms.def.  Each has a plain
 * reference that keeps its matrix of weights, and a fast version that gives outputs
 * only, in room whose size it states beforehand.
 *
 * Rows i are queries, columns j keys; s_ij = scale q_i.k_j, capped where the model caps,
 * and what it adds by position; only keys that the model lets row i see take part. */
#ifndef NN_MECHANISM_H
#define NN_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/attend.h"

enum { MECHANISM_BUDGET = 16 };     /* of h2o and quest, where none is set */

/* What the mechanisms leave open; each reads its own.  All > 0 unless 0 is listed. */
struct mechanism_params {
    int budget;             /* keys per row of all mechanisms that keep a number of them;
                               0: each by its own size, h2o and quest MECHANISM_BUDGET */
    int window;             /* local, global, sinks: keys on either side */
    int n_global;           /* global: the first tokens: all see them, they see all */
    int stride;             /* strided, fixed; 0: the root of T, rounded up */
    int n_columns;          /* fixed: the last of each stride that all see; <= stride */
    int block;              /* block: tokens of one */
    int top_k;              /* top-k: keys per row */
    int sinks;              /* sinks: the first tokens, which all see; < budget */
    int recent;             /* h2o: the latest of the keys that are kept, <= budget;
                               0: half, rounded up */
    int page;               /* quest: tokens of one */
    int n_groups;           /* gqa: heads of keys and values that are left; 0: the most
                               that are fewer than the model's */
    int bits;               /* kivi: 1 to 8 */
    int rank;               /* low-rank */
    int segments;           /* linformer */
    int n_features;         /* favor */
    int n_buckets;          /* lsh: even; 0: so many that each fills half a chunk */
    int n_rounds, chunk;    /* lsh: hashings; neighbours in sorted order */
    int additive_width;     /* additive: of its hidden layer; 0: that of a head */
    uint64_t seed;          /* of what is drawn */
};

struct mechanism;

/* One head of one text. */
struct attention {
    const struct mechanism *mechanism;  /* that attends */
    const float *q, *k, *v;             /* [T, d], [S, d], [S, d_v] */
    int64_t q_stride, k_stride, v_stride;       /* floats from row to row */
    int T, head;                        /* queries; number of the head */
    struct attend at;                   /* S, widths, scale, hidden keys, terms, cap;
                                           hidden has all T rows */
    bool cross;                         /* keys are of another text than the queries */
    bool alike;                         /* what at hides and adds is the same for all heads */
    const struct mechanism_params *params;
    const float *weights;               /* of the mechanism, for all heads; NULL: none */
};

/* How many of the model's heads, side by side, are one head of the mechanism. */
enum join { JOIN_NONE, JOIN_PAIRS, JOIN_ALL };

struct mechanism {
    const char *name;           /* "local" */
    const char *formula;        /* one line, in the notation above */
    const char *cost;           /* multiplications, up to a factor: "N w d" */
    const char *growth;         /* of that with the length alone: "N" */
    const char *source;
    enum join join;
    bool grouped;               /* keys and values are means over params->n_groups groups
                                   of the model's heads */
    bool sparse;                /* a weight of 0 means: the key is left out */
    const char *no_budget;      /* why params->budget sets nothing here, without a full
                                   stop; NULL: it does, or all keys are the yardstick */

    /* What sets it apart from others that are done the same way; NULL: nothing. */
    const struct pair_steps *steps;     /* where every pair is scored: pairs.h */
    const struct pair_formula *pairs;   /* of the reference; NULL: softmax of all */
    const struct chosen_steps *chosen;  /* where rows choose keys by data: chosen.h */
    /* Writes the keys of row i in [first, end), ascending, to key; returns how many. */
    int (*keys)(int *key, const struct attention *a, int i, int first, int end);

    /* Why it cannot do this, without a full stop; NULL: it can. */
    const char *(*refuse)(const struct attention *a);

    /* Floats of its own weights for texts of T tokens; NULL: it has none. */
    uint64_t (*n_weights)(const struct mechanism_params *p, int T, int H, int d);

    /* Draws them from params->seed. */
    void (*draw)(float *weights, const struct mechanism_params *p, int T, int H, int d);

    /* Bytes that run needs, aligned to 64. */
    uint64_t (*room)(const struct attention *a);

    /*
     * out[T, d_v], row i at out + i * out_stride: the outputs; those of rows that see
     * no key are 0.  Returns how many scores were computed: pairs of a row and a key that
     * it sees.
     */
    int64_t (*run)(float *out, int64_t out_stride, const struct attention *a, void *room);

    /* Bytes that reference needs; NULL: none. */
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

/* How many of H heads are one head of the mechanism; 0: H is not a multiple of that. */
int mechanism_joined(enum join join, int H);

/*
 * How many groups G heads of keys and values are averaged in: params->n_groups, or the
 * largest number below G that divides it; 0: they cannot be.
 */
int mechanism_groups(const struct mechanism_params *p, int G);

/* For texts of T tokens, where params leave them open. */
int mechanism_stride(const struct mechanism_params *p, int T);
int mechanism_buckets(const struct mechanism_params *p, int T);
int mechanism_recent(const struct mechanism_params *p);

/*
 * The sizes in use for T tokens and G heads of keys and values: n_groups 0: there is no
 * smaller number of them.
 */
struct mechanism_params mechanism_params_used(const struct mechanism_params *p, int T, int G);

#endif
