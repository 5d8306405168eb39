/* SPDX-License-Identifier: MIT
 * Convolution over tokens, channel by channel. */
#include "nn/lookback.h"

#include <stdint.h>
#include <string.h>

void lookback_rows(float *y, const float *x, const float *before, const float *w, const float *bias,
                   int n, int C, int T, int first, int end)
{
    for (int64_t t = 0; t < T; t++) {
        float *out = y + t * C;

        for (int c = first; c < end; c++)
            out[c] = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t from = t - (n - 1) + k;
            const float *row = from >= 0 ? x + from * C :
                               before != NULL ? before + (from + n - 1) * C : NULL;
            const float *weight = w + k * C;

            for (int c = first; row != NULL && c < end; c++)
                out[c] += weight[c] * row[c];
        }
        for (int c = first; bias != NULL && c < end; c++)
            out[c] += bias[c];
    }
}

void lookback_keep(float *before, const float *x, int n, int C, int T)
{
    int kept = T < n - 1 ? n - 1 - T : 0;       /* of those that were there */
    size_t row = (size_t)C * sizeof *x;

    memmove(before, before + (size_t)(n - 1 - kept) * (size_t)C, (size_t)kept * row);
    memcpy(before + (size_t)kept * (size_t)C, x + (size_t)(T - (n - 1 - kept)) * (size_t)C,
           (size_t)(n - 1 - kept) * row);
}
