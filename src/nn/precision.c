/* SPDX-License-Identifier: MIT
 * Rounding to 16-bit floats and back, for what lower precision does to a model. */
#include "nn/precision.h"

#include <string.h>

#include "base/half.h"

const char *const precision_names[] = { "f32", "bf16", "f16", NULL };

void precision_round(enum precision to, float *y, const float *x, int64_t n)
{
    switch (to) {
    case PRECISION_BF16:
        for (int64_t i = 0; i < n; i++)
            y[i] = bf16_round(x[i]);
        return;
    case PRECISION_F16:
        for (int64_t i = 0; i < n; i++)
            y[i] = half_round(x[i]);
        return;
    case PRECISION_F32:
    case N_PRECISION:
        if (y != x)
            memcpy(y, x, (size_t)n * sizeof *y);
    }
}
