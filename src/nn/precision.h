/* SPDX-License-Identifier: MIT
 *
 * The numbers that a lower precision would compute with.  16-bit floats: the inputs of
 * every product are rounded.  Quantisation: the weights of linears are rounded, and for
 * int8 what they multiply.  Sums are in single precision whatever the format. */
#ifndef NN_PRECISION_H
#define NN_PRECISION_H

#include <stdbool.h>
#include <stdint.h>

enum precision {
    PRECISION_F32, PRECISION_BF16, PRECISION_F16,
    PRECISION_INT8, PRECISION_Q8_0, PRECISION_Q5_0, PRECISION_Q4_0,     /* quantise.h */
    N_PRECISION
};
extern const char *const precision_names[];     /* "f32", "bf16", .., "q4_0", NULL */

/* Linears alone are rounded: products of attention and tables are not. */
bool precision_is_of_linears(enum precision p);

/*
 * y[i] = the number of format `to` nearest to x[i], ties to even; infinite where x[i]
 * is too large for f16.  y may be x.  A format of linears leaves numbers as they are.
 */
void precision_round(enum precision to, float *y, const float *x, int64_t n);

#endif
