/* SPDX-License-Identifier: MIT
 * What the files of trace share: what was asked, and what came of one text.
 *
 *     trace.c           options, the pass, predictions
 *     record.c          what is printed
 *     picture.c         what is drawn */
#ifndef TASK_TRACE_H
#define TASK_TRACE_H

#include "analysis/trace.h"
#include "task/format.h"
#include "task/job.h"
#include "session/place.h"

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
    bool drawn;                 /* a text before this one */
    bool predicts;              /* the layers shown end in logits of tokens */
    const struct record *record;        /* of a row of the table */
};

/* One text. */
struct trace_found {
    struct trace_job *j;
    const struct item *item;
    const struct trace *t;
    int top;                    /* predictions of each layer; 0: none */
    struct trace_guess *guess;  /* [L + 1, top]: of the embeddings, then after each layer */
};

/* ---- record.c ---- */

extern const struct record trace_record;

/* Sets the records of the job: without columns that were not asked for, or cannot be. */
void trace_columns(struct trace_job *j);

/* Writes the text's results. */
int trace_write(struct trace_job *j, struct arena *a, const struct trace_found *f,
                struct err *e);

/* Layer -1: what the first one reads, of which there are predictions alone. */
bool trace_shows(const struct trace_found *f, int layer);
/* "cat(3); weights: mean of 4 heads" */
const char *trace_lead(const struct trace_found *f, struct arena *a);
/* The mean over heads of x [L, H, n]; NaN: none sees it. */
double *trace_mean_of(const struct trace_found *f, struct arena *a, int layer, const float *x,
                      int n);
/* "“cat” 0.4200, “dog” 0.1100": after the layer. */
const char *trace_predicts(const struct trace_found *f, struct arena *a, int layer);

/* ---- picture.c ---- */

/* ERR_USAGE: it does not fit. */
int trace_draw(const struct trace_found *f, struct arena *a, const char *path, struct err *e);

#endif
