/* SPDX-License-Identifier: MIT
 * Convolutions as linears: what a kernel reads, row by row, and the product with it. */
#ifndef RUN_WINDOWS_H
#define RUN_WINDOWS_H

#include "run/pass.h"

/*
 * Row t of a picture's patches or of a convolution is what its window holds, channel by
 * channel: as the file has a kernel's inputs.
 */
struct windows {
    const struct pass *p;
    const float *x;
    float *to;              /* [n_rows, K]; the first is that of row row0 */
    int row0, n_rows, K;
    /* of a convolution: window t begins at row t step - before of x, rows that there are not
     * are 0 */
    int64_t row_stride, channel_stride;
    int64_t n_in;           /* rows of x */
    int width, step, before;
};

/* Fills the windows of ROW_CHUNK rows, the i-th so many, of a convolution. */
void windows_of_rows(void *self, int i, struct arena *scratch);

/* y[n, N] = what w makes of n windows that fill makes, MLP_ROWS of them at a time; p, to, row0,
 * n_rows and K of j are set here. */
void windows_linear(struct pass *p, float *y, int n, struct windows j,
                    void (*fill)(void *self, int i, struct arena *scratch),
                    const struct param *w);

/* Floats that it takes for n rows. */
size_t windows_room(const struct param *w, int64_t n);

#endif
