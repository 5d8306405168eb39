/* SPDX-License-Identifier: MIT
 * AVX-512 kernels: vectors and decoding; rows in simd_rows.h, products in
 * tile_avx512.c. */
#include "base/elementary.h"
#include "nn/kernels.h"
#include "nn/scan.h"
#include "nn/softmax.h"
#include "nn/tile.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

/* ---- vectors ---- */

#define vec __m512
#define dvec __m512d
#define vmask __mmask16

enum { WIDTH = 16, DWIDTH = 8 };
#define EXP_LOWEST (-105.0f)        /* rounds to 0 through the subnormals */

static inline vec v_set(float x) { return _mm512_set1_ps(x); }
static inline vec v_load(const float *p) { return _mm512_load_ps(p); }
static inline void v_store(float *p, vec v) { _mm512_store_ps(p, v); }
static inline vec v_load_any(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store_any(float *p, vec v) { _mm512_storeu_ps(p, v); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }

/* Where one is NaN the second comes out, so it has to be the variable. */
static inline vec v_max(vec a, vec b) { return _mm512_max_ps(a, b); }
static inline vec v_min(vec a, vec b) { return _mm512_min_ps(a, b); }
static inline vec v_positive(vec v) { return v_max(v_set(0), v); }
static inline float v_sum(vec v) { return _mm512_reduce_add_ps(v); }
static inline float v_max_of(vec v) { return _mm512_reduce_max_ps(v); }
static inline vec v_abs(vec v) { return _mm512_abs_ps(v); }
static inline vec v_round(vec v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT); }
static inline vec v_scale(vec v, vec n) { return _mm512_scalef_ps(v, n); }
static inline vmask v_greater(vec a, vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }

/* a where the mask is set, else b. */
static inline vec v_keep(vmask m, vec a, vec b) { return _mm512_mask_blend_ps(m, b, a); }

/* The bits of a whole number in each element. */
static inline vec v_bits(int i) { return _mm512_castsi512_ps(_mm512_set1_epi32(i)); }

/* |a| with the sign of s. */
static inline vec v_sign_of(vec s, vec a)
{
    return _mm512_or_ps(a, _mm512_and_ps(s, v_set(-0.0f)));
}

/* The first n elements; n may be negative or beyond WIDTH. */
static inline vmask avx512_first_of(int n)
{
    if (n <= 0)
        return 0;
    return (vmask)(n >= WIDTH ? 0xffffu : (1u << n) - 1);
}

/* Which of the columns s .. s + WIDTH - 1 lie in [first, end). */
static inline vmask v_between(int s, int first, int end)
{
    return (vmask)(avx512_first_of(end - s) & ~avx512_first_of(first - s));
}

static inline vec v_load_first(const float *p, int n)
{
    return _mm512_maskz_loadu_ps(avx512_first_of(n), p);
}

static inline void v_store_first(float *p, vec v, int n)
{
    _mm512_mask_storeu_ps(p, avx512_first_of(n), v);
}

static inline dvec d_set(double x) { return _mm512_set1_pd(x); }
static inline dvec d_load(const double *p) { return _mm512_load_pd(p); }
static inline void d_store(double *p, dvec v) { _mm512_storeu_pd(p, v); }
static inline dvec d_fma(dvec a, dvec b, dvec c) { return _mm512_fmadd_pd(a, b, c); }
static inline dvec d_of_floats(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline void d_to_floats(float *p, dvec v) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(v)); }

static inline dvec d_part(vec v, int i)
{
    return _mm512_cvtps_pd(i == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
}

/* Lanes i and i + 4, then 2, then 1. */
static inline double d_tree(dvec v)
{
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline vec v_low(vec a, vec b) { return _mm512_unpacklo_ps(a, b); }
static inline vec v_high(vec a, vec b) { return _mm512_unpackhi_ps(a, b); }

static inline vec v_low_pairs(vec a, vec b)
{
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static inline vec v_high_pairs(vec a, vec b)
{
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

/*
 * Four columns of rows 0, 4, 8 and 12 as the quarters of one vector: after that,
 * a transposition inside the quarters is all that is left.
 */
static inline vec v_quarters(const float *w, int64_t stride)
{
    vec v = _mm512_castps128_ps512(_mm_loadu_ps(w));

    v = _mm512_insertf32x4(v, _mm_loadu_ps(w + 4 * stride), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(w + 8 * stride), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(w + 12 * stride), 3);
}

#include "nn/simd/simd_256.h"
#include "nn/simd/simd_rows.h"
#include "nn/simd/simd_facts.h"
#include "nn/simd/simd_top.h"

/* ---- decoding ---- */

static inline __m256i load_16_bits(const unsigned char *data, int64_t left)
{
    return _mm256_maskz_loadu_epi16(avx512_first_of(left < WIDTH ? (int)left : WIDTH), data);
}

static void avx512_decode_f16(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i += WIDTH)
        v_store_first(out + i, _mm512_cvtph_ps(load_16_bits(data + 2 * i, n - i)),
                      n - i < WIDTH ? (int)(n - i) : WIDTH);
}

static void avx512_decode_bf16(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i += WIDTH) {
        __m512i wide = _mm512_cvtepu16_epi32(load_16_bits(data + 2 * i, n - i));

        v_store_first(out + i, _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16)),
                      n - i < WIDTH ? (int)(n - i) : WIDTH);
    }
}

static bool avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const struct facts_kernels facts_avx512 = FACTS_KERNELS;

const struct kernels kernels_avx512 = {
    .name = "avx512", .supported = avx512_supported,
    .width = PANEL, .rows = tile_avx512_rows, .transpose = transpose, .stored = &stored_avx512,
    .decode_f16 = avx512_decode_f16, .decode_bf16 = avx512_decode_bf16,
    .softmax = softmax, .scan = scan, .scan_block = scan_block, .facts = &facts_avx512,
    .strongest = strongest,
    .act = act, .norm = norm, .add = add,
    .gather = gather, .blend = blend, .outer = outer, .inner = inner,
};

#endif
