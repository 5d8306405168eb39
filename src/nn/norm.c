/* SPDX-License-Identifier: MIT
 * LayerNorm (Ba et al. 2016, eq. 4) and RMSNorm (Zhang and Sennrich 2019, eq. 4):
 * all of a row in double, rounded once. */
#include <assert.h>
#include <math.h>

#include "nn/nn_priv.h"

/* Sum of (x - from) or of its square. */
static double row_sum(const float *x, int D, double from, bool square)
{
    double lane[LANES] = { 0 };

    for (int i = 0; i < D; i++) {
        double v = x[i] - from;

        lane[i % LANES] += square ? v * v : v;
    }
    return add_lanes(lane);
}

void norm_c(const struct norm_args *a)
{
    for (int t = 0; t < a->T; t++) {
        const float *x = a->x + (int64_t)t * a->D;
        float *y = a->y + (int64_t)t * a->D;
        double mean = a->centre ? row_sum(x, a->D, 0, false) / a->D : 0;
        double scale = 1 / sqrt(row_sum(x, a->D, mean, true) / a->D + a->eps);

        for (int i = 0; i < a->D; i++) {
            double v = (x[i] - mean) * scale;

            if (a->weight != NULL)
                v *= a->weight[i];
            if (a->bias != NULL)
                v += a->bias[i];
            y[i] = (float)v;
        }
    }
}

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
