/* SPDX-License-Identifier: MIT
 * Activations, by the chosen kernel. */
#include "nn/act.h"

#include "nn/kernels.h"

void act_apply(enum act act, float *y, int64_t n)
{
    nn_kernels()->act(act, y, NULL, n);
}

void act_gated(enum act act, float *y, const float *gate, int64_t n)
{
    nn_kernels()->act(act, y, gate, n);
}
