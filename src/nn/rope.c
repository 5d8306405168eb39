/* SPDX-License-Identifier: MIT
 * Rotary positions: Su et al. 2021, eq. 34. */
#include "nn/rope.h"

#include <assert.h>
#include <stdint.h>

#include "base/elementary.h"

void rope_table(float *cos_out, float *sin_out, const float *inv_freq, int r,
                float factor, int pos0, int n_pos)
{
    int half = r / 2;

    assert(r > 0 && r % 2 == 0 && pos0 >= 0);
    for (int p = 0; p < n_pos; p++)
        for (int i = 0; i < half; i++) {
            float angle_rad = (float)(pos0 + p) * inv_freq[i];
            int64_t at = (int64_t)p * half + i;

            cos_out[at] = (float)elementary_cos(angle_rad) * factor;
            sin_out[at] = (float)elementary_sin(angle_rad) * factor;
        }
}

void rope_apply(float *row, int n_heads, int d, int r, enum rope_layout layout,
                const float *cos_in, const float *sin_in)
{
    int half = r / 2, step = layout == ROPE_PAIRS ? 2 : 1;
    int apart = layout == ROPE_PAIRS ? 1 : half;

    assert(r > 0 && r % 2 == 0 && r <= d);
    for (int h = 0; h < n_heads; h++, row += d)
        for (int i = 0; i < half; i++) {
            float *a = row + i * step, *b = a + apart, a0 = *a;

            *a = a0 * cos_in[i] - *b * sin_in[i];
            *b = *b * cos_in[i] + a0 * sin_in[i];
        }
}
