/* SPDX-License-Identifier: MIT
 * Norms of rows, by the chosen kernel. */
#include "nn/norm.h"

#include <assert.h>
#include <math.h>

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

void norm_deviation(float *y, const float *x, const float *weight, const float *bias,
                    float eps, int T, int D)
{
    for (int t = 0; t < T; t++, x += D, y += D) {
        double mean = 0, squares = 0, scale;

        for (int i = 0; i < D; i++)
            mean += (double)x[i] / D;
        for (int i = 0; i < D; i++)
            squares += ((double)x[i] - mean) * ((double)x[i] - mean);
        scale = 1 / (sqrt(squares / (D > 1 ? D - 1 : 1)) + (double)eps);
        for (int i = 0; i < D; i++)
            y[i] = (float)(((double)x[i] - mean) * scale * (double)weight[i] +
                           (bias != NULL ? (double)bias[i] : 0));
    }
}

void norm_affine(float *y, const float *x, const float *weight, const float *bias, int T, int D)
{
    for (int t = 0; t < T; t++, x += D, y += D)
        for (int i = 0; i < D; i++)
            y[i] = x[i] * weight[i] + (bias != NULL ? bias[i] : 0);
}
