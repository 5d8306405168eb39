/* SPDX-License-Identifier: MIT
 * AVX2 kernels: vectors and decoding; rows in simd_rows.h, products in tile_avx2.c. */
#include "base/elementary.h"
#include "nn/kernels.h"
#include "nn/scan.h"
#include "nn/softmax.h"
#include "nn/tile.h"

#if defined(__x86_64__)

#include <assert.h>
#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

/* ---- vectors ---- */

#define vec __m256
#define dvec __m256d
#define vmask __m256

enum { WIDTH = 8, DWIDTH = 4 };
#define EXP_LOWEST (-105.0f)        /* v_scale gives 0 below 2^-126 */

static inline vec v_set(float x) { return _mm256_set1_ps(x); }
static inline vec v_load(const float *p) { return _mm256_load_ps(p); }
static inline void v_store(float *p, vec v) { _mm256_store_ps(p, v); }
static inline vec v_load_any(const float *p) { return _mm256_loadu_ps(p); }
static inline void v_store_any(float *p, vec v) { _mm256_storeu_ps(p, v); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }

/* Where one is NaN the second comes out, so it has to be the variable. */
static inline vec v_max(vec a, vec b) { return _mm256_max_ps(a, b); }
static inline vec v_min(vec a, vec b) { return _mm256_min_ps(a, b); }
static inline vec v_positive(vec v) { return v_max(v_set(0), v); }
static inline vec v_abs(vec v) { return _mm256_andnot_ps(v_set(-0.0f), v); }

static inline vec v_round(vec v)
{
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline float v_max_of(vec v)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

/* Halves, quarters, then two. */
static inline float v_sum(vec v)
{
    __m128 m = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    m = _mm_add_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_add_ss(m, _mm_movehdup_ps(m)));
}

static inline vmask v_greater(vec a, vec b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }

/* a where the mask is set, else b. */
static inline vec v_keep(vmask m, vec a, vec b) { return _mm256_blendv_ps(b, a, m); }

/* v 2^n for whole n <= 128; 0 where n < -126. */
static inline vec v_scale(vec v, vec n)
{
    __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    vec scaled = v * _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));

    return v_keep(v_greater(v_set(-126.0f), n), v_set(0), scaled);
}

/* The bits of a whole number in each element. */
static inline vec v_bits(int i) { return _mm256_castsi256_ps(_mm256_set1_epi32(i)); }

/* |a| with the sign of s. */
static inline vec v_sign_of(vec s, vec a)
{
    return _mm256_or_ps(a, _mm256_and_ps(s, v_set(-0.0f)));
}

/* All bits of the first n elements; n may be negative or beyond WIDTH. */
static inline __m256i avx2_first_of(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Which of the columns s .. s + WIDTH - 1 lie in [first, end). */
static inline vmask v_between(int s, int first, int end)
{
    return _mm256_castsi256_ps(
        _mm256_andnot_si256(avx2_first_of(first - s), avx2_first_of(end - s)));
}

static inline vec v_load_first(const float *p, int n)
{
    return _mm256_maskload_ps(p, avx2_first_of(n));
}

static inline void v_store_first(float *p, vec v, int n)
{
    _mm256_maskstore_ps(p, avx2_first_of(n), v);
}

static inline dvec d_set(double x) { return _mm256_set1_pd(x); }
static inline dvec d_fma(dvec a, dvec b, dvec c) { return _mm256_fmadd_pd(a, b, c); }
static inline dvec d_load(const double *p) { return _mm256_load_pd(p); }
static inline void d_store(double *p, dvec v) { _mm256_storeu_pd(p, v); }
static inline dvec d_of_floats(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline void d_to_floats(float *p, dvec v) { _mm_storeu_ps(p, _mm256_cvtpd_ps(v)); }

static inline dvec d_part(vec v, int i)
{
    return _mm256_cvtps_pd(i == 0 ? _mm256_castps256_ps128(v) : _mm256_extractf128_ps(v, 1));
}

/* Lanes i and i + 2, then 1. */
static inline double d_tree(dvec v)
{
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline vec v_low(vec a, vec b) { return _mm256_unpacklo_ps(a, b); }
static inline vec v_high(vec a, vec b) { return _mm256_unpackhi_ps(a, b); }

static inline vec v_low_pairs(vec a, vec b)
{
    return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}

static inline vec v_high_pairs(vec a, vec b)
{
    return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}

/*
 * Four columns of rows 0 and 4 as the halves of one vector: after that, a
 * transposition inside the halves is all that is left.
 */
static inline vec v_quarters(const float *w, int64_t stride)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(w)),
                                _mm_loadu_ps(w + 4 * stride), 1);
}

#include "nn/simd/simd_256.h"
#include "nn/simd/simd_rows.h"
#include "nn/simd/simd_facts.h"
#include "nn/simd/simd_top.h"

/* ---- decoding ---- */

static void avx2_decode_f16(float *out, const unsigned char *data, int64_t n)
{
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(data + 2 * i))));
    kernels_c.decode_f16(out + i, data + 2 * i, n - i);
}

static void avx2_decode_bf16(float *out, const unsigned char *data, int64_t n)
{
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH) {
        __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(data + 2 * i)));

        _mm256_storeu_ps(out + i, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
    }
    kernels_c.decode_bf16(out + i, data + 2 * i, n - i);
}

/* F16C has no name in clang 16's __builtin_cpu_supports: CPUID leaf 1, ECX. */
static bool avx2_supported(void)
{
    unsigned a, b, c, d;

    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

const struct facts_kernels facts_avx2 = FACTS_KERNELS;

const struct kernels kernels_avx2 = {
    .name = "avx2", .supported = avx2_supported,
    .width = 16, .rows = tile_avx2_rows, .transpose = transpose, .stored = &stored_avx2,
    .decode_f16 = avx2_decode_f16, .decode_bf16 = avx2_decode_bf16,
    .softmax = softmax, .scan = scan, .scan_block = scan_block, .facts = &facts_avx2,
    .strongest = strongest,
    .act = act, .norm = norm, .add = add,
    .gather = gather, .blend = blend, .outer = outer, .inner = inner,
};

#endif
