/* SPDX-License-Identifier: MIT
 * AVX-512 BF16: products of pairs of bfloat16, summed in single precision. */
#include "nn/fast.h"
#include "nn/peak.h"

#if defined(__x86_64__)

#if defined(__AVX512BF16__)

#include <immintrin.h>

static inline __m512 step(__m512 x, __m512 w, __m512 sum)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)w);
}

#include "nn/simd/simd_tile_512.h"

enum { SUMS = 16 };             /* of the loop that only multiplies */

static void inputs(float *to, const float *x, int K)
{
    for (int k = 0; k < K; k += 2 * WIDTH, x += 2 * WIDTH, to += WIDTH) {
        __m512 low = _mm512_maskz_loadu_ps(first_of(K - k), x);
        __m512 high = _mm512_maskz_loadu_ps(first_of(K - k - WIDTH), x + WIDTH);

        _mm512_mask_storeu_ps(to, first_of((K - k + 1) / 2),
                              (__m512)_mm512_cvtne2ps_pbh(high, low));
    }
}

static void weights(float *panel, int width, int K)
{
    /* i, 16 + i of 32 elements of 16 bits: those of both rows side by side */
    const __m512i column = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i pairs = _mm512_or_si512(
        column, _mm512_slli_epi32(_mm512_add_epi32(column, _mm512_set1_epi32(WIDTH)), 16));
    float *to = panel;

    for (int k = 0; k < K; k += 2, panel += 2 * width, to += width)
        for (int i = 0; i < width; i += WIDTH) {
            __m512 first = _mm512_load_ps(panel + i);
            __m512 second = k + 1 < K ? _mm512_load_ps(panel + width + i) :
                                        _mm512_setzero_ps();
            __m512i both = (__m512i)_mm512_cvtne2ps_pbh(second, first);

            _mm512_store_ps(to + i, _mm512_castsi512_ps(_mm512_permutexvar_epi16(pairs, both)));
        }
}

static float fast_bf16_multiply(int64_t steps)
{
    const __m512 half = _mm512_castsi512_ps(_mm512_set1_epi32(0x3f003f00));     /* 0.5, 0.5 */
    __m512 sum[SUMS], all = _mm512_setzero_ps();

    UNROLL
    for (int i = 0; i < SUMS; i++)
        sum[i] = _mm512_set1_ps((float)i);
    for (int64_t s = 0; s < steps; s++)
        UNROLL
        for (int i = 0; i < SUMS; i++)
            sum[i] = step(half, half, sum[i]);
    for (int i = 0; i < SUMS; i++)
        all = _mm512_add_ps(all, sum[i]);
    return _mm512_reduce_add_ps(all);
}

static bool fast_bf16_supported(void)
{
    return __builtin_cpu_supports("avx512bf16");
}

/* A step: two multiplications and two additions of each lane. */
static const struct peak_kernels peak_bf16 = { 4 * SUMS * WIDTH, fast_bf16_multiply, NULL };

const struct fast_kernel fast_bf16_avx512 = {
    .beside = KERNEL_AVX512, .unit = "avx512_bf16", .built = true, .supported = fast_bf16_supported,
    .block = 2, .words = 1, .inputs = inputs, .weights = weights, .rows = tile_rows,
    .peak = &peak_bf16,
};

#else

const struct fast_kernel fast_bf16_avx512 = { .unit = "avx512_bf16" };

#endif
#endif
