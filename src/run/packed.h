/* SPDX-License-Identifier: MIT
 * A linear over many rows: its panels are packed once, and blocks of rows share them. */
#ifndef RUN_PACKED_H
#define RUN_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/pass.h"

struct matrix;

/* y[n_rows, N] = x w^T + bias; row i of y at y + i * y_stride, of x at x + i * x_stride. */
struct linear_job {
    float *y;
    const float *x, *bias;
    int64_t y_stride, x_stride;
    int n_rows;
    int rows_per_task, n_panels;    /* where each task packs for itself */
    int panels_per_task;            /* of few rows */
    const struct matrix *w;
};

/*
 * Rows in a block, whose inputs stay in L2; fewer than that read each panel once, so that
 * nothing is gained by keeping it.
 */
enum { PACKED_ROWS = 168 };

/*
 * The job over more than PACKED_ROWS rows, of a matrix that linear_packs.  false: there is no
 * memory for its panels, and nothing was done; par_slower was told.
 */
bool packed_linear(struct pass *p, const struct linear_job *j);

/* Outputs of n_panels panels, `size` floats apart, that linear_pack made from n0 on: blocks of
 * rows x groups of panels, which the threads share out. */
void packed_multiply(struct pass *p, const struct linear_job *j, int n0, int n_panels,
                     const float *panels, size_t size);

/* Bytes that packed_linear takes at most, of w, on any kernel. */
double packed_memory(const struct matrix *w, int n_rows);

#endif
