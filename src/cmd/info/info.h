/* SPDX-License-Identifier: MIT
 * What info prints: the row of a model, and that of precomputed attention. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

#include "task/records.h"
#include "model/count.h"

struct experts_row {
    int number, chosen, shared, d_ff;
};

struct decoder_row {
    int layers, heads, d_head, d_ff, vocab, positions;
};

struct parameters_row {
    const struct count *part[N_COUNT_PART];     /* NULL: the model has none */
};

struct info_row {
    const char *model, *family;
    const char *tower;                  /* NULL: it is no part of a model of texts and pictures */
    const char *stack;
    bool causal;
    int layers, heads, kv_heads, d_model, d_head, d_value, d_ff, vocab;
    const char *activation;             /* NULL: config.json says it, or there is no mlp */
    int positions;                      /* -1: any number */
    struct list input;                  /* int64_t, -1: any length; of tokens: n -1 */
    const struct experts_row *experts;  /* NULL: none */
    const struct decoder_row *decoder;
    const char *quantised;              /* how linears are stored; NULL: as floats */
    double bits;                        /* of a weight of those; NaN: as above */
    const char *hash;
    const struct parameters_row *parameters;
    struct list kinds;                  /* of layers, of a hybrid */
    struct count attention;             /* of one layer */
    const struct count *attention_layer;    /* the same */
    int64_t head_weights;               /* -1: heads share rows */
    int run_tokens;
    int64_t run_memory;                 /* bytes */
};

extern const struct record info_record;

/* A row, of arena a, for a run of n tokens, or as many as the model takes; hash: model_hash_data
 * as text. */
void info_fill(struct info_row *row, struct arena *a, const struct model *m,
               const char *hash, int n, int n_threads);

/* The table of its parameters. */
void info_parts(const struct info_row *row, struct arena *a, FILE *f);

/* The activation of a layer's mlp, which its file does not say; NULL: config.json says it, or
 * it has no mlp. */
const char *info_activation(const struct model *m);

/* Whether a text may have any length: of bare layers, but for one with a table of positions. */
bool info_any_length(const struct model *m);

/* What a file of --attention holds. */
/* What a layer mixes tokens by. */
const char *info_kind(const struct model *m, int layer);

extern const struct record info_precomputed_record;
void info_precomputed(const struct model *m, const char *hash, struct arena *a, struct report *r);

/* The families that can be read, a row each. */
extern const struct record info_family_record;
void info_families(struct arena *a, struct report *r);

/* The models that are part of the program, a row each.  Errors: those of model_open. */
extern const struct record info_builtin_record;
int info_builtin(struct arena *a, struct report *r, struct err *e);

#endif
