/* SPDX-License-Identifier: MIT
 * Private interface of the command trace: its job, and the results of one text.
 *
 *     trace.c           options, the pass, predictions
 *     record.c          tables and rows
 *     picture.c         pictures */
#ifndef TASK_TRACE_H
#define TASK_TRACE_H

#include "analysis/trace.h"
#include "session/shown/place.h"
#include "task/common/job.h"
#include "task/figure/format.h"

enum trace_each { TRACE_LAYER, TRACE_TOKEN, TRACE_PREDICTION };

struct trace_args {
    struct shared_args shared;
    const char *at;             /* NULL: the last token */
    int top, each;              /* enum trace_each */
};

struct trace_job {
    struct job job;
    const struct trace_args *args;
    struct place at;
    bool drawn;                 /* an earlier text was drawn */
    bool predicts;              /* the layers shown end in logits of tokens */
    const struct record *record;        /* record of the table's rows */
};

/* Results of one text. */
struct trace_found {
    struct trace_job *j;
    const struct item *item;
    const struct trace *t;
    int top;                    /* predictions of each layer; 0: none */
    struct trace_guess *guess;  /* [L + 1, top] predictions from the embeddings, then after each
                                   layer */
};

/* ---- record.c ---- */

extern const struct record trace_record;

/* Sets the records of the job, without columns that are not asked for, or do not apply. */
void trace_columns(struct trace_job *job);

/* Writes the text's results. */
int trace_write(struct trace_job *job, struct arena *a, const struct trace_found *found,
                struct err *e);

/* Whether a layer is shown; -1 stands for the embeddings, for which there are only predictions. */
bool trace_shows(const struct trace_found *found, int layer);
/* The line above the table: "cat(3); weights: mean of 4 heads" */
const char *trace_lead(const struct trace_found *found, struct arena *a);
/* [n] the mean over heads of a layer of x [L, H, n]; NaN: no head sees the token. */
double *trace_mean_of(const struct trace_found *found, struct arena *a, int layer, const float *x,
                      int n);
/* The predictions after the layer: "“cat” 0.4200, “dog” 0.1100". */
const char *trace_predicts(const struct trace_found *found, struct arena *a, int layer);

/* ---- picture.c ---- */

/* ERR_USAGE: it does not fit. */
int trace_draw(const struct trace_found *found, struct arena *a, const char *path, struct err *e);

#endif
