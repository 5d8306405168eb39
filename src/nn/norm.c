/* SPDX-License-Identifier: MIT
 * Norms of rows, by the chosen kernel. */
#include "nn/norm.h"

#include <assert.h>

#include "nn/kernels.h"

void norm_layer(float *y, const float *x, const float *weight, const float *bias,
                float eps, int T, int D)
{
    struct norm_args a = {
        .y = y, .x = x, .weight = weight, .bias = bias, .eps = eps, .centre = true,
        .T = T, .D = D,
    };

    assert(T > 0 && D > 0);
    nn_kernels()->norm(&a);
}

void norm_rms(float *y, const float *x, const float *weight, float eps, int T, int D)
{
    struct norm_args a = { .y = y, .x = x, .weight = weight, .eps = eps, .T = T, .D = D };

    assert(T > 0 && D > 0);
    nn_kernels()->norm(&a);
}
