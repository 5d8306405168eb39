/* SPDX-License-Identifier: MIT
 *
 * The trace of one token through all layers: its query row and its key column in each head, and the
 * residual stream at the beginning of each layer. */
#ifndef ANALYSIS_TRACE_H
#define ANALYSIS_TRACE_H

#include "run/run.h"

struct trace {
    const struct model *m;      /* the model of the layers */
    enum stack_id stack;
    int at, T, S;               /* the token; queries, keys */
    float *row;                 /* [L, H, S] its weights on all keys; NaN: hidden, or not wanted */
    float *column;              /* [L, H, T] the weights of all queries on it; NULL if keys are of
                                   another text */
    float *stream;              /* [L, width] input of each layer; NULL: not stored */
};

/* For a pass over one text; streams: the tap stores them.  All memory is allocated in a, which may
 * be the pass's. */
struct trace *trace_new(struct arena *a, const struct model *model, enum stack_id stack, int at,
                        int T, int S, bool streams);
struct tap trace_tap(struct trace *trace);
struct sink trace_sink(struct trace *trace);

/* out[n] = the mean of x[H, n] over the heads in which it is not NaN; NaN if it is in all. */
void trace_mean(double *out, const float *x, int H, int n);

/* The index of the largest of x[n], the first among equals; -1 if all are NaN. */
int trace_largest(const double *x, int n);

/* ---- predictions ---- */

struct trace_guess {
    int id;
    double p;                   /* softmax of all logits */
};

/* guess[k] = the most likely of V logits, k <= V; ties: the smaller id first. */
void trace_guesses(struct trace_guess *guess, int k, const float *logits, int V);

#endif
