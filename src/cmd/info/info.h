/* SPDX-License-Identifier: MIT
 * Private interface of the command info: rows of a model, of precomputed attention, of lists of
 * families and built-in models. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

#include "model/count.h"
#include "task/common/records.h"

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
    const char *tower;                  /* NULL if it is not a tower of a larger model */
    const char *stack;
    bool causal;
    int layers, heads, kv_heads, d_model, d_head, d_value, d_ff, vocab;
    const char *activation;             /* NULL: that of config.json, or there is no mlp */
    int positions;                      /* -1: any number */
    struct list input;                  /* int64_t, -1: any length; of tokens: n -1 */
    const struct experts_row *experts;  /* NULL: none */
    const struct decoder_row *decoder;
    const char *quantised;              /* how linears are stored; NULL: as floats */
    double bits;                        /* per weight of quantised linears; NaN: not quantised */
    const char *hash;
    const struct parameters_row *parameters;
    struct list kinds;                  /* info_kind of each layer, of a hybrid model */
    struct count attention;             /* parameters of the attention of one layer */
    const struct count *attention_layer;    /* &attention, the column of the record */
    int64_t head_weights;               /* weights of one head; -1: heads share rows */
    int run_tokens;
    int64_t run_memory;                 /* bytes */
};

extern const struct record info_record;

/* Fills a row, in arena a, for a run of n tokens, or the model's maximum; hash: model_hash_data as
 * text. */
void info_fill(struct info_row *row, struct arena *a, const struct model *model,
               const char *hash, int n, int n_threads);

/* Writes the table of its parameters. */
void info_parts(const struct info_row *row, struct arena *a, FILE *file);

/* The activation of a bare layer's mlp, which its file does not tell; NULL if config.json has it,
 * or there is no mlp. */
const char *info_activation(const struct model *model);

/* Whether a text may have any length: for bare layers without a table of positions. */
bool info_any_length(const struct model *model);

/* The kind of token mixing of a layer: "attention", or another of a hybrid model. */
const char *info_kind(const struct model *model, int layer);

/* The row for a file of precomputed attention (--attention). */
extern const struct record info_precomputed_record;
void info_precomputed(const struct model *model, const char *hash, struct arena *a,
                      struct report *report);

/* The supported families, one row each. */
extern const struct record info_family_record;
void info_families(struct arena *a, struct report *report);

/* The built-in models, one row each.  Errors: those of model_open. */
extern const struct record info_builtin_record;
int info_builtin(struct arena *a, struct report *report, struct err *e);

#endif
