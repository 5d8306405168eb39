/* SPDX-License-Identifier: MIT
 *
 * Simulated quantisation of linears: weights become the floats that a quantised file
 * would be decoded to.
 *
 *     int8   q = round(x / scale) in -127 .. 127, ties to even; scale = the largest
 *            magnitude / 127, at least FLT_EPSILON: of an output's weights, and of each
 *            row of inputs.  The product is that of whole numbers: no kernel rounds one
 *            below 2^24, and all round alike.
 *     q8_0   blocks of 32 weights of an output: q = round(x / d), ties away from zero;
 *            d = the largest magnitude / 127
 *     q5_0   q = floor(x / d + 16.5), at most 31, stands for d (q - 16); d = what has the
 *            largest magnitude (the first one) / -16
 *     q4_0   the same with 8.5, 15, 8 and -8
 *
 * x / d is x times the float nearest to 1 / d; a weight is then d, rounded to f16, times
 * its whole number.  Numbers that are not finite become NaN.
 * Source: ggml-quants.c, quantize_row_q*_ref; torchao quant_primitives.py, with the range
 * -127 .. 127. */
#ifndef NN_QUANTISE_H
#define NN_QUANTISE_H

#include "nn/nn.h"
#include "nn/precision.h"

enum { QUANTISE_BLOCK = 32 };       /* weights of an output that share a scale */

/* Row sizes must be multiples of this; 1: any size. */
int quantise_block(enum precision to);

/* q[n] = the whole numbers of int8 for x[n]; returns their scale.  q may be x. */
float quantise_row(float *q, const float *x, int n);

/* The same for the columns of a panel [K, PANEL], in place; sets their scales. */
void quantise_columns(float *panel, int K, float scale[PANEL]);

/* Rounds the columns of a panel [K, PANEL], K a multiple of 32, to q8_0, q5_0 or q4_0. */
void quantise_blocks(enum precision to, float *panel, int K);

#endif
