/* SPDX-License-Identifier: MIT
 *
 * Simulation of lower precision.  16-bit floats: the inputs of every product are rounded.
 * Quantisation: the weights of linears are rounded, and for int8 their inputs, too.  Sums are
 * in single precision in every format. */
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

/* Whether only linears are rounded, not products of attention or tables. */
bool precision_is_of_linears(enum precision p);

/*
 * y[i] = the number of format `to` nearest to x[i], ties to even; infinite if x[i] is too
 * large for f16.  y may be x.  Formats of linears alone leave numbers unchanged.
 */
void precision_round(enum precision to, float *y, const float *x, int64_t n);

#endif
