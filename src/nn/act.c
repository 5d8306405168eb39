/* SPDX-License-Identifier: MIT
 * Activations, element by element, and the residual's addition. */
#include <assert.h>
#include <math.h>

#include "nn/nn_priv.h"

/*
 * GELU: Hendrycks and Gimpel 2016, section 2; SiLU: ibid., section 4.  Written
 * with erfc and exp, since 1 + erf and 1 + tanh lose what is left near -1.
 */
static float act_one(enum act act, float x)
{
    switch (act) {
    case ACT_GELU:
        return 0.5f * x * erfcf(x * -0.70710678f);
    case ACT_GELU_TANH:
        return x / (1 + expf(-1.5957691f * (x + 0.044715f * x * x * x)));
    case ACT_QUICK_GELU:
        return x / (1 + expf(-1.702f * x));
    case ACT_SILU:
        return x / (1 + expf(-x));
    case ACT_RELU:
        return x < 0 ? 0 : x;
    case ACT_TANH:
        return tanhf(x);
    case N_ACT:
        break;
    }
    assert(act < N_ACT);
    return x;
}

void act_c(enum act act, float *y, const float *gate, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = gate == NULL ? act_one(act, y[i]) : act_one(act, gate[i]) * y[i];
}

void act_apply(enum act act, float *y, int64_t n)
{
    nn_kernels()->act(act, y, NULL, n);
}

void act_gated(enum act act, float *y, const float *gate, int64_t n)
{
    nn_kernels()->act(act, y, gate, n);
}

void add_c(float *y, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

void add_to(float *y, const float *x, int64_t n)
{
    nn_kernels()->add(y, x, n);
}
