/* SPDX-License-Identifier: MIT
 *
 * Stored rows that were turned round once, for products with few rows of x that follow each other:
 * what WIDTH outputs need at a time lies side by side, in the order in which it is read.  Numbers
 * stay as they are stored; of quantised blocks the whole numbers take 4 or 8 bits, and scales and
 * minima, as linears multiply by them, are floats. */
#ifndef NN_TURNED_H
#define NN_TURNED_H

#include <stdint.h>

#include "nn/linear.h"

enum { TURNED = 128 };              /* outputs that are turned together: a panel */

/*
 * Bytes of an output's row, turned; 0: the chosen kernel turns no such rows.  They are of an
 * element that it knows, [N, K], in full precision, and K a multiple of 16.
 */
int64_t turned_row(const struct matrix *w);

/* Outputs [n0, n0 + TURNED) of w; to: TURNED * turned_row(w) bytes, aligned to 64. */
void turned_make(unsigned char *to, const struct matrix *w, int n0);

/*
 * Outputs of n panels, which turned_make made from n0 on and which follow each other, of
 * M <= LINEAR_FEW rows; the rest as in linear_few, and the results to the bit.
 */
void turned_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *w, const float *bias, int n0, int n,
                const unsigned char *panels);

#endif
