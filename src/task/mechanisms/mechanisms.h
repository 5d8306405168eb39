/* SPDX-License-Identifier: MIT
 * Private interface of the command mechanisms: options, the results of one text, its reports. */
#ifndef TASK_MECHANISMS_H
#define TASK_MECHANISMS_H

#include "analysis/mechanisms.h"
#include "task/common/records.h"
#include "task/common/results.h"
#include "task/figure/format.h"

struct mechanisms_args {
    struct shared_args shared;
    const char *only, *additive;
    int runs, columns, bits;
    bool propagate, outputs_only, error, no_error;
    struct mechanism_params params;     /* 0 for sizes that --budget sets */
};

/* The options of the mechanisms. */
extern const struct opt_group mechanisms_group;

/*
 * Sets *params from the options of the mechanisms, with defaults for those that --budget excludes.
 * Errors (ERR_USAGE): an option that sets a size together with --budget; numbers that contradict
 * each other.
 */
int mechanisms_params(const struct mechanisms_args *args, struct mechanism_params *params,
                      struct err *e);

/* Whether --seed is used: some mechanism of those marked in only (NULL: all) draws numbers. */
bool mechanisms_draw(const struct mechanisms_args *args, const bool *only);

/* ERR_USAGE: an option that no mechanism of those marked in only (NULL: all) reads. */
int mechanisms_check_read(const struct mechanisms_args *args, const bool *only, struct arena *a,
                          struct err *e);

/* "window 4, seed 1": the parameters of the mechanisms marked in shown. */
const char *mechanisms_params_text(const struct mechanism_params *params, const bool *shown,
                                   struct arena *a);

struct mechanisms_text;

/* The parameters, with sizes set from the text and the model. */
struct mechanism_params mechanisms_used(const struct mechanisms_text *text);

/* Results of one text. */
struct mechanisms_text {
    const struct session *s;
    const struct item *item;
    const struct mechanisms *c;
    const bool *layer;              /* [L] */
    bool propagated, named;         /* change is set; the table is headed by the text's number */
    int kept_head;                  /* head whose rows are stored; -1: none */
    double change[N_MECHANISM];     /* of the last hidden state, relative */
    const char *refused[N_MECHANISM];   /* why change is undefined */
};

/*
 * "elu, favor: why", if id is the first of the mechanisms that the layer excludes for this reason;
 * else NULL.
 */
const char *mechanisms_left_out(const struct mechanisms_text *text, struct arena *a, int layer,
                                int id);

/* The same for outputs without a table: a warning for each reason not given before.  ERR_INPUT: all
 * mechanisms are left out. */
struct mechanisms_said {
    const char *line[32];
    int n;
};
int mechanisms_say_left_out(const struct mechanisms_text *text, struct arena *a,
                            struct mechanisms_said *said, struct err *e);

/* One table per layer. */
void mechanisms_table(const struct mechanisms_text *text, struct arena *a, FILE *file);

/* The record of reports in TSV and JSON, and one text's row. */
extern const struct record mechanisms_record;
const struct record *mechanisms_report(struct arena *a, bool propagated);
void mechanisms_row(const struct mechanisms_text *text, struct arena *a, struct report *report);

/* Draws the attention rows of one head in one layer, one heatmap per mechanism. */
int mechanisms_picture(const struct mechanisms_text *text, struct arena *a, int layer,
                       const struct figure_args *figure, int columns,
                       const struct output *output, const char *path, struct err *e);

/*
 * A .npz file of the mechanisms' rows and outputs.  Between begin and end a pass writes them
 * through mechanisms_npz_arrays; end completes the file, or removes it if rc is not 0, and returns
 * rc or the error of a write.
 */
struct mechanisms_npz {
    const struct session *s;
    const struct wanted *want;
    const struct item *item;
    struct arena arena;         /* its own, as a pass frees the memory of taps */
    struct out out;
    struct npz *z;
};
int mechanisms_npz_begin(struct mechanisms_npz *npz, const struct arena *like, const char *path,
                         struct err *e);
struct mechanisms_arrays mechanisms_npz_arrays(struct mechanisms_npz *npz);
int mechanisms_npz_end(struct mechanisms_npz *npz, int rc, struct err *e);

/*
 * Weights of `additive` for heads of width d: W [a, d], U [a, d], v [a] of a .safetensors
 * file, one after another; *width: a.  NULL and ERR_INPUT: one is missing, has another shape
 * (found, expected) or type, or contains a number that is not finite.
 */
const float *mechanisms_additive_read(struct arena *a, const char *path, int d, int *width,
                                      struct err *e);

#endif
