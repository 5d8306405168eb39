/* SPDX-License-Identifier: MIT
 *
 * The number format that the inputs of a product are rounded to before it.  Products
 * and sums themselves are in single precision whatever the format. */
#ifndef NN_PRECISION_H
#define NN_PRECISION_H

#include <stdint.h>

enum precision { PRECISION_F32, PRECISION_BF16, PRECISION_F16, N_PRECISION };
extern const char *const precision_names[];     /* "f32", "bf16", "f16", NULL */

/*
 * y[i] = the number of format `to` nearest to x[i], ties to even; infinite where x[i]
 * is too large for f16.  y may be x.
 */
void precision_round(enum precision to, float *y, const float *x, int64_t n);

#endif
