/* SPDX-License-Identifier: MIT
 *
 * Activations, element by element. */
#ifndef NN_ACT_H
#define NN_ACT_H

#include <stdint.h>

enum act {
    ACT_GELU,           /* x/2 (1 + erf(x / sqrt 2)) */
    ACT_GELU_TANH,      /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
    ACT_QUICK_GELU,     /* x sigmoid(1.702 x) */
    ACT_SILU,           /* x sigmoid(x) */
    ACT_RELU, ACT_TANH,
    ACT_RELU2,          /* max(x, 0)^2 */
    N_ACT
};

/* y[i] = act(y[i]), i < n; within 2e-7 (1 + |y|) of the formula in double. */
void act_apply(enum act act, float *y, int64_t n);

/* y[i] = act(gate[i]) * y[i], i < n. */
void act_gated(enum act act, float *y, const float *gate, int64_t n);

#endif
