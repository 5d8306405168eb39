/* SPDX-License-Identifier: MIT
 *
 * Turned rows: stored rows of a matrix transposed once, for repeated products with few rows of x,
 * as in generation.  The elements that WIDTH outputs require at a time are adjacent, in reading
 * order. Numbers keep their stored type; of quantised blocks the integers take 4 or 8 bits, and
 * scales and minima are floats. */
#ifndef NN_TURNED_H
#define NN_TURNED_H

#include <stdint.h>

#include "nn/linear.h"

enum { TURNED = 128 };              /* outputs of a turned panel */

/*
 * Bytes of a turned row; 0 if the chosen kernel cannot turn matrix, which must have an element type
 * that it knows, be stored [N, K], in full precision, with K a multiple of 16.
 */
int64_t turned_row(const struct matrix *matrix);

/* Turns outputs [n0, n0 + TURNED) of matrix; to: TURNED * turned_row(matrix) bytes, aligned to
 * 64. */
void turned_make(unsigned char *to, const struct matrix *matrix, int n0);

/*
 * Outputs of n adjacent panels of turned_make from n0 on, for M <= LINEAR_FEW rows; the rest as in
 * linear_few, with the same bits.
 */
void turned_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *matrix, const float *bias, int n0, int n,
                const unsigned char *panels);

#endif
