/* SPDX-License-Identifier: MIT
 * The formats, and rounding to 16-bit floats and back. */
#include "nn/precision.h"

#include <string.h>

#include "base/half.h"

const char *const precision_names[] = {
    "f32", "bf16", "f16", "int8", "q8_0", "q5_0", "q4_0", NULL
};

bool precision_is_of_linears(enum precision p)
{
    return p >= PRECISION_INT8;
}

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
    default:
        if (y != x)
            memcpy(y, x, (size_t)n * sizeof *y);
    }
}
