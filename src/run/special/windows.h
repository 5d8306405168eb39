/* SPDX-License-Identifier: MIT
 * Convolutions as linears: the inputs of a kernel, gathered row by row (im2col), times the kernel.
 * */
#ifndef RUN_WINDOWS_H
#define RUN_WINDOWS_H

#include "run/pass.h"

/*
 * A job that gathers windows: row t has the numbers in window t of a picture's patches or of a
 * convolution, channel by channel, in the order of the kernel in the file.
 */
struct windows {
    const struct pass *p;
    const float *x;
    float *to;              /* [n_rows, K] windows from row row0 on */
    int row0, n_rows, K;
    /* convolutions: window t begins at row t step - before of x; rows outside x are 0 */
    int64_t row_stride, channel_stride;
    int64_t n_in;           /* rows of x */
    int width, step, before;
};

/* A task that fills the i-th block of ROW_CHUNK windows of a convolution. */
void windows_of_rows(void *self, int i, struct arena *scratch);

/* y[n, N] = w times n windows, MLP_ROWS of them at a time, each block gathered by fill; sets pass,
 * to, row0, n_rows and K of j. */
void windows_linear(struct pass *pass, float *y, int n, struct windows j,
                    void (*fill)(void *self, int i, struct arena *scratch),
                    const struct param *w);

/* Floats of scratch memory for n rows. */
size_t windows_room(const struct param *w, int64_t n);

#endif
