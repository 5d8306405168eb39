/* SPDX-License-Identifier: MIT
 * NEON: the loops of peak.h. */
#include "nn/peak.h"
#include "nn/unroll.h"

#if defined(__AARCH64EL__)

#include <arm_neon.h>

enum { WIDTH = 4, SUMS = 16 };

/* Adds them up, one to the next. */
static float peak_neon_add_up(const float32x4_t *sum, int n)
{
    float lane[WIDTH], all = 0;

    for (int i = 0; i < n; i++) {
        vst1q_f32(lane, sum[i]);
        for (int l = 0; l < WIDTH; l++)
            all += lane[l];
    }
    return all;
}

static float peak_neon_multiply(int64_t steps)
{
    float32x4_t sum[SUMS], factor = vdupq_n_f32(0.999f);

    UNROLL
    for (int i = 0; i < SUMS; i++)
        sum[i] = vdupq_n_f32((float)i);
    for (int64_t s = 0; s < steps; s++)
        UNROLL
        for (int i = 0; i < SUMS; i++)      /* the sum is what is overwritten: nothing is moved */
            sum[i] = vfmaq_f32(sum[i], factor, factor);
    return peak_neon_add_up(sum, SUMS);
}

static float peak_neon_read_floats(const float *x, int64_t n)
{
    enum { LOADS = 16 };
    float32x4_t sum[LOADS];

    UNROLL
    for (int i = 0; i < LOADS; i++)
        sum[i] = vdupq_n_f32(0);
    for (int64_t at = 0; at < n; at += (int64_t)LOADS * WIDTH)
        UNROLL
        for (int i = 0; i < LOADS; i++)
            sum[i] = vaddq_f32(sum[i], vld1q_f32(x + at + (int64_t)i * WIDTH));
    return peak_neon_add_up(sum, LOADS);
}

const struct peak_kernels peak_neon = {
    2 * SUMS * WIDTH, peak_neon_multiply, peak_neon_read_floats,
};

#endif
