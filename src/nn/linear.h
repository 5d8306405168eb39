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
    int size_bytes;                 /* bytes of one stored block */
    int block;                      /* elements of a stored block; 0 or 1: single elements; else
                                       32 or 256: row sizes and strides are multiples of it, and
                                       with order_in_out it is 32 */
    void (*to_f32)(float *out, const unsigned char *data, int64_t n);
    /* instead of stored data: computes elements [first, first + n) of what maker makes */
    void (*make)(const void *maker, float *out, int64_t first, int64_t n);
    const void *maker;
    int64_t made_at;                /* index of element 0 for maker */
    const struct packed_codes *codes;      /* packed form of maker's elements; NULL: unknown */
    double made_size;               /* stored bytes per element of maker's */
    enum element element;           /* stored type, if kernels can decode it */
    int N, K;                       /* outputs, inputs */
    int64_t stride;                 /* elements from one stored row to the next */
    bool order_in_out;
    enum precision precision;       /* precision to which its elements are rounded */
    const float *x_scale;           /* PRECISION_INT8: [M] scales of the rows of x, which are
                                       results of quantise_row */
    const struct fast_kernel *fast;     /* kernel that multiplies: rows of x are results of its
                                           inputs(), and x_stride counts its words; NULL: floats */
};

/* Elements of a stored row: inputs, or outputs with order_in_out. */
static inline int linear_row_size(const struct matrix *matrix)
{
    return matrix->order_in_out ? matrix->N : matrix->K;
}

/* The type of its stored elements: ELEMENT_F32 if data are floats. */
enum element linear_element(const struct matrix *matrix);

/* Bytes from one stored row to the next. */
int64_t linear_row_bytes(const struct matrix *matrix);

/* Bytes of all stored rows. */
double linear_size_bytes(const struct matrix *matrix);

/* Makes matrix begin at its n-th element, which must begin a block. */
void linear_skip(struct matrix *matrix, int64_t n);

/* out[linear_row_size] = stored row i, not rounded to the precision. */
void linear_row(float *out, const struct matrix *matrix, int i);

/* Floats of scratch memory for linear_panel: K * PANEL, and for decoding. */
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
 * Threads share out panels.  Arrays may not overlap.  The panel is packed for this call alone,
 * which is efficient if rows are so few that x stays in cache.
 */
void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *matrix, const float *bias, int n0,
                  float *scratch);

enum { LINEAR_FEW = 4 };        /* rows for which packing does not pay */

/*
 * Outputs [n0, n0 + n) of M <= LINEAR_FEW rows, with the same bits as linear_panel: matrix is read
 * in its stored form, almost without packing.  The rest as above.
 */
void linear_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *matrix, const float *bias, int n0, int n, float *scratch);

/* ---- the same for many rows: panels are packed once, then multiplied with blocks of rows ---- */

/* Whether linear_pack supports matrix: not in precisions that scale whole rows or blocks, nor for
 * blocks of outputs wider than a panel, which only linear_panel computes. */
bool linear_packs(const struct matrix *matrix);

/* Floats of scratch memory for linear_pack. */
size_t linear_room(void);

/* Floats of a panel that linear_pack writes, aligned to 64 bytes; the result comes first, with
 * matrix->fast fast_words(matrix->fast, matrix->K) * product_width() words. */
size_t linear_packed_size(const struct matrix *matrix);

/*
 * panel [K, product_width()], or words of matrix->fast: outputs from n0 on, a multiple of that
 * width; 0 past N.
 */
void linear_pack(float *panel, const struct matrix *matrix, int n0, float *room);

/*
 * Outputs of n_panels panels of linear_pack from n0 on, `size` floats apart; the rest as in
 * linear_panel, with the same bits.  A block of k of x stays in cache for all panels.
 */
void linear_packed(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                   const struct matrix *matrix, const float *bias, int n0, int n_panels,
                   const float *panels, size_t size);

#endif
