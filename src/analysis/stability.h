/* SPDX-License-Identifier: MIT
 *
 * One text several times in a batch, all except the first with noise -> the changes of each head's
 * rows, and of the model's output, by the noise. */
#ifndef ANALYSIS_STABILITY_H
#define ANALYSIS_STABILITY_H

#include "base/arena.h"
#include "run/run.h"

/* ---- the output ---- */

/*
 * y[0 .. n): output without noise, then as many numbers for each of the runs:
 *
 *     v_r = sum over i of (y_r[i] - y_0[i])^2 / n
 *
 * These are the numbers of the function test_attention_stability in many tutorials.
 */
struct stability_output {
    double mean_variance, max_variance;     /* of v_r over the runs */
    double relative;    /* mean of v_r / variance of y_0; NaN if that is 0 */
};
struct stability_output stability_output(const float *y, int64_t n, int n_runs);

/* ---- heads ---- */

struct head_change {
    double js;          /* nats: mean over runs and rows that see a key; NaN: no row does */
    double links_kept;  /* share of those rows whose strongest key stays the same */
};

struct stability;

/* For a batch of 1 + n_runs texts of one length; memory is allocated in a. */
struct stability *stability_new(struct arena *a, const struct model *model);

/* Its sink, SINK_TEXTS, for run_forward. */
struct sink stability_sink(struct stability *stability);

/* After the pass. */
struct head_change stability_head(const struct stability *stability, int layer, int head);

#endif
