/* SPDX-License-Identifier: MIT
 * AVX-512 VNNI: products of whole numbers of 8 bits, four at a time, summed in 32 bits. */
#include "nn/fast.h"
#include "nn/peak.h"

#if defined(__x86_64__)

#if defined(__AVX512VNNI__)

#include "nn/kernels.h"
#include "nn/simd/simd_512.h"

enum {
    BLOCK = 64, CODES = BLOCK / 4,
    /* words of a block: of weights -128 times the sum of their codes, of inputs 0; the codes, of
       inputs with 128 added; the scale */
    FIRST = 1, SCALE = FIRST + CODES, WORDS = SCALE + 1,
    VECTORS = BLOCK / WIDTH,
    SUMS = 16                   /* of the loop that only multiplies */
};

#define SMALLEST 0x1p-100f

static INLINE __m512i fast_int8_whole(__m512 x)
{
    return _mm512_cvt_roundps_epi32(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* Of the bits of magnitudes, where what is not finite is the largest. */
static INLINE __m512i larger(__m512i largest, __m512 x)
{
    return _mm512_max_epu32(largest, _mm512_castps_si512(_mm512_abs_ps(x)));
}

/* Factors from and to whole numbers. */
static INLINE void fast_int8_scales_of(__m512 *scale, __m512 *inverse, __m512i largest)
{
    const __m512 most = _mm512_set1_ps(127), x = _mm512_castsi512_ps(largest);
    __mmask16 counts = _mm512_cmp_ps_mask(x, _mm512_set1_ps(SMALLEST), _CMP_NLT_UQ);

    *scale = _mm512_maskz_div_ps(counts, x, most);
    *scale = _mm512_sub_ps(*scale, _mm512_sub_ps(x, x));        /* NaN stays, and inf is NaN */
    *inverse = _mm512_maskz_div_ps(counts, most, x);
}

static void inputs(float *to, const float *x, int K)
{
    for (int k = 0; k < K; k += BLOCK, x += BLOCK, to += WORDS) {
        __m512i largest = _mm512_setzero_si512();
        __m512 v[VECTORS], scale, inverse;

        UNROLL
        for (int i = 0; i < VECTORS; i++) {
            v[i] = _mm512_maskz_loadu_ps(first_of(K - k - i * WIDTH), x + i * WIDTH);
            largest = larger(largest, v[i]);
        }
        fast_int8_scales_of(&scale, &inverse,
                            _mm512_set1_epi32((int)_mm512_reduce_max_epu32(largest)));
        UNROLL
        for (int i = 0; i < VECTORS; i++) {
            __m512i code = _mm512_add_epi32(fast_int8_whole(_mm512_mul_ps(v[i], inverse)),
                                            _mm512_set1_epi32(128));

            _mm_storeu_si128((void *)(to + FIRST + i * 4), _mm512_cvtepi32_epi8(code));
        }
        to[0] = 0;
        to[SCALE] = _mm512_cvtss_f32(scale);
    }
}

/* n <= BLOCK rows of WIDTH columns, in place. */
static void fast_int8_block_of(float *to, const float *from, int width, int n)
{
    __m512i largest = _mm512_setzero_si512(), all = _mm512_setzero_si512();
    __m512 scale, inverse;

    for (int k = 0; k < n; k++)
        largest = larger(largest, _mm512_load_ps(from + k * width));
    fast_int8_scales_of(&scale, &inverse, largest);
    for (int c = 0; c < CODES; c++) {
        __m512i word = _mm512_setzero_si512();

        UNROLL
        for (int i = 0; i < 4; i++) {
            int k = 4 * c + i;
            __m512 x = k < n ? _mm512_load_ps(from + k * width) : _mm512_setzero_ps();
            __m512i code = fast_int8_whole(_mm512_mul_ps(x, inverse));

            all = _mm512_add_epi32(all, code);
            code = _mm512_and_si512(code, _mm512_set1_epi32(255));
            word = _mm512_or_si512(word, _mm512_slli_epi32(code, (unsigned)(8 * i)));
        }
        _mm512_store_ps(to + (FIRST + c) * width, _mm512_castsi512_ps(word));
    }
    all = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(all, 7));
    _mm512_store_ps(to, _mm512_castsi512_ps(all));
    _mm512_store_ps(to + SCALE * width, scale);
}

static void weights(float *panel, int width, int K)
{
    for (int i = 0; i < width; i += WIDTH) {
        const float *from = panel + i;
        float *to = panel + i;

        for (int k = 0; k < K; k += BLOCK, from += BLOCK * width, to += WORDS * width)
            fast_int8_block_of(to, from, width, K - k < BLOCK ? K - k : BLOCK);
    }
}

/* 14 sums of whole numbers, 14 of floats, 2 of the panel, 1 of x: 31 of 32 registers */
#define TILE_ROWS 7
#define OWN_STEPS

static INLINE void steps(const struct product *product, const float *x, __m512 sum[TILE_ROWS][2],
                         const int rows, const int vecs)
{
    const float *panel = product->panel;
    int64_t width = product->width;

    for (int k = 0; k < product->K; k += WORDS, x += WORDS, panel += WORDS * width) {
        __m512i of_block[TILE_ROWS][2];
        __m512 w[2];

        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int j = 0; j < vecs; j++)
                of_block[r][j] = _mm512_castps_si512(_mm512_load_ps(panel + j * WIDTH));
        for (int c = FIRST; c < SCALE; c++) {
            UNROLL
            for (int j = 0; j < vecs; j++)
                w[j] = _mm512_load_ps(panel + c * width + j * WIDTH);
            UNROLL
            for (int r = 0; r < rows; r++) {
                __m512i codes = _mm512_castps_si512(_mm512_set1_ps(x[r * product->x_stride + c]));

                UNROLL
                for (int j = 0; j < vecs; j++)
                    of_block[r][j] = _mm512_dpbusd_epi32(of_block[r][j], codes,
                                                         _mm512_castps_si512(w[j]));
            }
        }
        UNROLL
        for (int j = 0; j < vecs; j++)
            w[j] = _mm512_load_ps(panel + SCALE * width + j * WIDTH);
        UNROLL
        for (int r = 0; r < rows; r++) {
            __m512 scale = _mm512_set1_ps(x[r * product->x_stride + SCALE]);

            UNROLL
            for (int j = 0; j < vecs; j++)
                sum[r][j] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(of_block[r][j]),
                                            _mm512_mul_ps(scale, w[j]), sum[r][j]);
        }
    }
}

#include "nn/simd/simd_tile_512.h"

static float fast_int8_multiply(int64_t steps_of)
{
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum[SUMS], all = _mm512_setzero_si512();

    UNROLL
    for (int i = 0; i < SUMS; i++)
        sum[i] = _mm512_set1_epi32(i);
    for (int64_t s = 0; s < steps_of; s++)
        UNROLL
        for (int i = 0; i < SUMS; i++)
            sum[i] = _mm512_dpbusd_epi32(sum[i], ones, ones);
    for (int i = 0; i < SUMS; i++)
        all = _mm512_add_epi32(all, sum[i]);
    return (float)_mm512_reduce_add_epi32(all);
}

static bool fast_int8_supported(void)
{
    return __builtin_cpu_supports("avx512vnni");
}

/* A step: four multiplications and four additions of each lane. */
static const struct peak_kernels peak_int8 = { 8 * SUMS * WIDTH, fast_int8_multiply, NULL };

const struct fast_kernel fast_int8_avx512 = {
    .beside = KERNEL_AVX512, .unit = "avx512_vnni", .built = true, .supported = fast_int8_supported,
    .block = BLOCK, .words = WORDS, .inputs = inputs, .weights = weights, .rows = tile_rows,
    .peak = &peak_int8,
};

#else

const struct fast_kernel fast_int8_avx512 = { .unit = "avx512_vnni" };

#endif
#endif
