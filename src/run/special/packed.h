/* SPDX-License-Identifier: MIT
 * Linears over many rows: the matrix is packed into panels once, which all blocks of rows use. */
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
    int rows_per_task, n_panels;    /* many rows, if each task packs for itself */
    int panels_per_task;            /* few rows */
    const struct matrix *w;
};

/*
 * Rows of a block, whose inputs stay in L2.  A product of no more rows reads each panel once, so
 * packing in advance gains nothing.
 */
enum { PACKED_ROWS = 168 };

/*
 * Runs a job of more than PACKED_ROWS rows on a matrix that linear_packs accepts.  false: no memory
 * for its panels; nothing was done, and par_slower was called.
 */
bool packed_linear(struct pass *pass, const struct linear_job *job);

/* Computes the outputs of n_panels panels, `size` floats apart, packed by linear_pack from output
 * n0 on; the threads take blocks of rows x groups of panels. */
void packed_multiply(struct pass *pass, const struct linear_job *job, int n0, int n_panels,
                     const float *panels, size_t size);

/* Most bytes that packed_linear takes for matrix, with any kernel. */
double packed_memory(const struct matrix *matrix, int n_rows);

#endif
