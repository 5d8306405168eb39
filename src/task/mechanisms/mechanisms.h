/* SPDX-License-Identifier: MIT
 * What mechanisms.c measures, and record.c and picture.c show. */
#ifndef TASK_MECHANISMS_H
#define TASK_MECHANISMS_H

#include "analysis/mechanisms.h"
#include "task/format.h"
#include "task/records.h"
#include "task/results.h"

struct mechanisms_args {
    struct shared_args shared;
    const char *only, *additive;
    int runs, columns, bits;
    bool propagate, outputs_only, error, no_error;
    struct mechanism_params params;     /* those of a default that --budget excludes: 0 */
};

/* The options of the mechanisms. */
extern const struct opt_group mechanisms_group;

/*
 * What the options of the mechanisms say, with the defaults of those that --budget
 * excludes.  Errors (ERR_USAGE): an option beside --budget that sets a size; numbers that
 * do not fit each other.
 */
int mechanisms_params(const struct mechanisms_args *args, struct mechanism_params *p,
                      struct err *e);

/* Whether --seed is read: of those marked in only, NULL: all, one draws its numbers. */
bool mechanisms_draw(const struct mechanisms_args *args, const bool *only);

/* ERR_USAGE: an option that none of those marked in only, NULL: all, reads. */
int mechanisms_check_read(const struct mechanisms_args *args, const bool *only, struct arena *a,
                          struct err *e);

/* "window 4, seed 1": the parameters that the mechanisms marked in shown read. */
const char *mechanisms_params_text(const struct mechanism_params *p, const bool *shown,
                                   struct arena *a);

struct mechanisms_text;

/* The parameters with the sizes that the text and the model give. */
struct mechanism_params mechanisms_used(const struct mechanisms_text *t);

/* One text's figures. */
struct mechanisms_text {
    const struct session *s;
    const struct item *item;
    const struct mechanisms *c;
    const bool *layer;              /* [L] */
    bool propagated, named;         /* change is there; the text has its number above */
    int kept_head;                  /* -1: none */
    double change[N_MECHANISM];     /* of the last hidden state, relative */
    const char *refused[N_MECHANISM];   /* why change is not there */
};

/*
 * "elu, favor: why", where id is the first of those that the layer refuses for one reason;
 * NULL: it is not.
 */
const char *mechanisms_left_out(const struct mechanisms_text *t, struct arena *a, int layer,
                                int id);

/* The same for what has no table: a warning for each reason that was not said before.
 * Errors: ERR_INPUT, all are left out. */
struct mechanisms_said {
    const char *line[32];
    int n;
};
int mechanisms_say_left_out(const struct mechanisms_text *t, struct arena *a,
                            struct mechanisms_said *said, struct err *e);

/* One table per layer. */
void mechanisms_table(const struct mechanisms_text *t, struct arena *a, FILE *f);

/* In TSV and JSON: the record of a report, and one text of it. */
extern const struct record mechanisms_record;
const struct record *mechanisms_report(struct arena *a, bool propagated);
void mechanisms_row(const struct mechanisms_text *t, struct arena *a, struct report *r);

/* The rows of one head in one layer, one heatmap per mechanism. */
int mechanisms_picture(const struct mechanisms_text *t, struct arena *a, int layer,
                       const struct figure_args *figure, int columns,
                       const struct output *output, const char *path, struct err *e);

/*
 * Rows and outputs of the mechanisms, as arrays that NumPy reads.  Between begin and end a
 * pass hands them to mechanisms_npz_arrays; end completes the file, or drops it where rc
 * is not 0, and returns rc or the error of a write.
 */
struct mechanisms_npz {
    const struct session *s;
    const struct wanted *want;
    const struct item *item;
    struct arena arena;         /* of its own: the pass takes back what taps allocate */
    struct out out;
    struct npz *z;
};
int mechanisms_npz_begin(struct mechanisms_npz *n, const struct arena *like, const char *path,
                         struct err *e);
struct mechanisms_arrays mechanisms_npz_arrays(struct mechanisms_npz *n);
int mechanisms_npz_end(struct mechanisms_npz *n, int rc, struct err *e);

/*
 * Weights of `additive` for heads of width d: W [a, d], U [a, d], v [a] of a .safetensors
 * file, one after another; *width: a.  NULL and ERR_INPUT: one is missing, has another
 * shape (both are named) or type, or holds what is not finite.
 */
const float *mechanisms_additive_read(struct arena *a, const char *path, int d, int *width,
                                      struct err *e);

#endif
