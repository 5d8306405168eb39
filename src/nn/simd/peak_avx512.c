/* SPDX-License-Identifier: MIT
 * AVX-512: the loops of peak.h. */
#include "nn/peak.h"
#include "nn/unroll.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum { WIDTH = 16, SUMS = 16 };

/* Adds them up, one to the next. */
static float peak_avx512_add_up(const __m512 *sum, int n)
{
    float lane[WIDTH], all = 0;

    for (int i = 0; i < n; i++) {
        _mm512_storeu_ps(lane, sum[i]);
        for (int l = 0; l < WIDTH; l++)
            all += lane[l];
    }
    return all;
}

static float peak_avx512_multiply(int64_t steps)
{
    __m512 sum[SUMS], factor = _mm512_set1_ps(0.999f);

    UNROLL
    for (int i = 0; i < SUMS; i++)
        sum[i] = _mm512_set1_ps((float)i);
    for (int64_t s = 0; s < steps; s++)
        UNROLL
        for (int i = 0; i < SUMS; i++)
            sum[i] = _mm512_fmadd_ps(sum[i], factor, factor);
    return peak_avx512_add_up(sum, SUMS);
}

static float peak_avx512_read_floats(const float *x, int64_t n)
{
    enum { LOADS = 4 };
    __m512 sum[LOADS];

    UNROLL
    for (int i = 0; i < LOADS; i++)
        sum[i] = _mm512_setzero_ps();
    for (int64_t at = 0; at < n; at += (int64_t)LOADS * WIDTH)
        UNROLL
        for (int i = 0; i < LOADS; i++)
            sum[i] = _mm512_add_ps(sum[i], _mm512_load_ps(x + at + (int64_t)i * WIDTH));
    return peak_avx512_add_up(sum, LOADS);
}

const struct peak_kernels peak_avx512 = {
    2 * SUMS * WIDTH, peak_avx512_multiply, peak_avx512_read_floats,
};

#endif
