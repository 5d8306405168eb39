/* SPDX-License-Identifier: MIT
 *
 * Linears: products of rows with a matrix as it is stored in the file. */
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/packed_codes.h"
#include "nn/element.h"
#include "nn/nn.h"
#include "nn/precision.h"

struct fast_kernel;                 /* fast.h */

/*
 * The matrix of a linear as it is stored in the file.
 *     order_in_out false:  w[n][k], y = x w^T     (torch Linear)
 *     order_in_out true:   w[k][n], y = x w       (GPT-2's Conv1D; also values)
 * to_f32 decodes n elements, whole blocks; NULL: data are floats, aligned to 4 bytes.
 */
struct matrix {
    const unsigned char *data;
    int size_bytes;                 /* of one stored block */
    int block;                      /* elements that are stored together: 0 or 1: each
                                       by itself; else 32 or 256, a stored row and the
                                       stride are multiples of it, and of order_in_out
                                       it is 32 */
    void (*to_f32)(float *out, const unsigned char *data, int64_t n);
    /* instead of both: elements [first, first + n), counted from maker's first */
    void (*make)(const void *maker, float *out, int64_t first, int64_t n);
    const void *maker;
    int64_t made_at;                /* element 0 is this one of maker's */
    const struct packed_codes *codes;      /* how what maker makes lies; NULL: not known */
    double made_size;               /* bytes that are stored for each of its elements */
    enum element element;           /* what to_f32 decodes, where kernels know it */
    int N, K;                       /* outputs, inputs */
    int64_t stride;                 /* elements from one stored row to the next */
    bool order_in_out;
    enum precision precision;       /* that its elements are rounded to */
    const float *x_scale;           /* PRECISION_INT8: [M] of the rows of x, which hold
                                       what quantise_row makes of them */
    const struct fast_kernel *fast;     /* that multiplies: rows of x hold what its inputs()
                                           makes of them, and x_stride counts its words;
                                           NULL: floats */
};

/* Elements of a stored row: inputs, or outputs of order_in_out. */
static inline int linear_row_size(const struct matrix *w)
{
    return w->order_in_out ? w->N : w->K;
}

/* How its elements are stored: ELEMENT_F32 where data are floats. */
enum element linear_element(const struct matrix *w);

/* Bytes from one stored row to the next. */
int64_t linear_row_bytes(const struct matrix *w);

/* Bytes of all rows, as they are stored. */
double linear_size_bytes(const struct matrix *w);

/* w from its n-th element on, which begins a block. */
void linear_skip(struct matrix *w, int64_t n);

/* out[linear_row_size] = stored row i as it is in the file, whatever the precision. */
void linear_row(float *out, const struct matrix *w, int i);

/* Floats of scratch that linear_panel needs: K * PANEL and room to decode. */
size_t linear_scratch(int K);

/*
 * Outputs [n0, min(n0 + PANEL, N)) of y = x w (+ bias):
 *
 *     y[m][n] = bias[n] + sum over k of x[m][k] * w[n][k]
 *
 * The sum starts at 0 and runs over k upwards; the bias is added last.  In
 * PRECISION_INT8 the sum is of whole numbers, times x_scale[m], times the scale of w[n].
 * x        [M, K], row m at x + m * x_stride
 * y        [M, N], row m at y + m * y_stride; only these columns are written
 * bias     [N] or NULL
 * n0       a multiple of PANEL
 * scratch  linear_scratch(K) floats, aligned to 64 bytes
 *
 * Threads share out panels.  Arrays may not overlap.  The panel is packed for this call:
 * right where the rows are so few that x stays in cache.
 */
void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *w, const float *bias, int n0,
                  float *scratch);

enum { LINEAR_FEW = 4 };        /* rows for which packing does not pay */

/*
 * Outputs [n0, n0 + n) of M <= LINEAR_FEW rows, to the bit as linear_panel gives them: w
 * is read as it is stored, and hardly anything is packed.  The rest as above.
 */
void linear_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *w, const float *bias, int n0, int n, float *scratch);

/* ---- the same for many rows: panels are packed once, then blocks of rows meet them ---- */

/* False in precisions that scale whole rows or blocks, and of blocks of outputs that are wider
 * than a panel: linear_panel alone has those. */
bool linear_packs(const struct matrix *w);

/* Floats of room that linear_pack needs. */
size_t linear_room(void);

/* Floats of a panel that linear_pack writes, aligned to 64 bytes; those of the result come first,
 * of w->fast fast_words(w->fast, w->K) * product_width(). */
size_t linear_packed_size(const struct matrix *w);

/*
 * panel [K, product_width()], or as many words of w->fast: outputs from n0 on, a multiple of that
 * width; 0 past N.
 */
void linear_pack(float *panel, const struct matrix *w, int n0, float *room);

/*
 * Outputs of n_panels panels, which linear_pack made from n0 on, each `size` floats after the one
 * before; the rest as in linear_panel, to the bit.  A block of k of x stays in cache for all.
 */
void linear_packed(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                   const struct matrix *w, const float *bias, int n0, int n_panels,
                   const float *panels, size_t size);

#endif
