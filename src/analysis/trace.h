/* SPDX-License-Identifier: MIT
 *
 * One token through all layers: what its row of each head looks at, which rows look at it, and
 * the residual stream that each layer begins with. */
#ifndef ANALYSIS_TRACE_H
#define ANALYSIS_TRACE_H

#include "run/run.h"

struct trace {
    const struct model *m;      /* whose layers */
    enum stack_id stack;
    int at, T, S;               /* the token; queries, keys */
    float *row;                 /* [L, H, S] weights; NaN: not seen, or not wanted */
    float *column;              /* [L, H, T] the same of the rows that look at it; NULL: keys
                                   are of another text */
    float *stream;              /* [L, width] as each layer begins; NULL: not kept */
};

/* For a pass over one text; streams: the tap keeps them.  All memory is of a, which may be the
 * pass's. */
struct trace *trace_new(struct arena *a, const struct model *m, enum stack_id stack, int at,
                        int T, int S, bool streams);
struct tap trace_tap(struct trace *t);
struct sink trace_sink(struct trace *t);

/* out[n] = the mean of x[H, n] over the heads that see each; NaN: none does. */
void trace_mean(double *out, const float *x, int H, int n);

/* The largest of x[n], the first among equals; -1: all are NaN. */
int trace_largest(const double *x, int n);

/* ---- what would be predicted ---- */

struct trace_guess {
    int id;
    double p;                   /* softmax of all logits */
};

/* guess[k] = the most likely of V logits, k <= V; ties: the smaller id first. */
void trace_guesses(struct trace_guess *guess, int k, const float *logits, int V);

#endif
