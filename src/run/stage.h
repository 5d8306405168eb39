/* SPDX-License-Identifier: MIT
 * Building blocks of the stages of a pass: linears and norms, computed by all threads. */
#ifndef RUN_STAGE_H
#define RUN_STAGE_H

#include <stdint.h>

#include "run/pass.h"

enum {
    ROW_CHUNK = 64,         /* rows per task of norms, rotations, activations */
    MLP_ROWS = 1024         /* rows of the mlp at a time */
};

/*
 * y[n_rows, out] = x w^T + bias, panels shared out over the threads; row i of y at y + i *
 * y_stride, of x at x + i * x_stride.  A w of groups multiplies each group of columns by its own
 * matrix.
 */
void stage_linear(struct pass *pass, float *y, int64_t y_stride, const float *x,
                  int64_t x_stride, int n_rows, const struct param *w);

/* Outputs first .. first + n - 1 of a linear that is stored [out, in]. */
struct param stage_part(const struct param *w, int first, int n);

/* Calls task(self, i, ..) for each block i of ROW_CHUNK of n_rows rows. */
void stage_rows(struct pass *pass, int n_rows,
                void (*task)(void *self, int i, struct arena *scratch), void *self);

/* Number of rows in block i of n_rows. */
int stage_rows_of(int n_rows, int i);

/* y = norm(x) over n_rows rows of D; an empty slot copies.  y may be x. */
void stage_norm(struct pass *pass, float *y, const float *x, int n_rows, int D,
                const struct param *norm);

/* Calls the tap for a step of the stream x that changed rows row0 .. row0 + n_rows - 1. */
void stage_step(const struct pass *pass, enum stream_step_kind kind, int layer,
                enum stack_id stack, const struct param *norm, const float *x, int row0,
                int n_rows);

/* rows * columns floats in pass->call, uninitialised. */
float *stage_floats(struct pass *pass, size_t rows, size_t columns);

/* y[n_rows, D] += x[n_rows, D] */
void stage_add(struct pass *pass, float *y, const float *x, int n_rows, int D);

/* y[n_rows, D] *= factor by[D]; factor 0 and by NULL stand for 1. */
void stage_scale(struct pass *pass, float *y, int n_rows, int D, double factor, const float *by);

#endif
