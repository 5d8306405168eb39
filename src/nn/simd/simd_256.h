/* SPDX-License-Identifier: MIT
 *
 * Vectors of 256 bits, which simd_rows.h and simd_facts.h use with AVX2 and with AVX-512: fvec
 * (FWIDTH doubles), svec (twice as many floats), fbits and sbits (results of comparing them, and
 * their bits as integers), and the f_ and s_ functions on them. */
#ifndef NN_SIMD_256_H
#define NN_SIMD_256_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define fvec __m256d
#define fbits __m256i
#define svec __m256
#define sbits __v8si

enum { FWIDTH = 4 };

static inline fvec f_set(double x) { return _mm256_set1_pd(x); }
static inline fvec f_of(const double v[FWIDTH]) { return _mm256_setr_pd(v[0], v[1], v[2], v[3]); }
static inline fvec f_load(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline fvec f_load_double(const double *p) { return _mm256_loadu_pd(p); }
static inline void f_store(double *p, fvec v) { _mm256_storeu_pd(p, v); }
static inline fvec f_abs(fvec v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }

/* c + a b, c - a b */
static inline fvec f_fma(fvec a, fvec b, fvec c) { return _mm256_fmadd_pd(a, b, c); }
static inline fvec f_fnma(fvec a, fvec b, fvec c) { return _mm256_fnmadd_pd(a, b, c); }

static inline fbits f_less(fvec a, fvec b)
{
    return _mm256_castpd_si256(_mm256_cmp_pd(a, b, _CMP_LT_OQ));
}

static inline fbits f_at_most(fvec a, fvec b)
{
    return _mm256_castpd_si256(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}

/* v where the mask is set, else 0. */
static inline fvec f_keep(fbits mask, fvec v)
{
    return _mm256_and_pd(v, _mm256_castsi256_pd(mask));
}

static inline bool f_any(fbits mask)
{
    return _mm256_movemask_pd(_mm256_castsi256_pd(mask)) != 0;
}

static inline fbits f_whole(int64_t i) { return _mm256_set1_epi64x(i); }

/* Lanes i and i + 2, then 1. */
static inline double f_tree(fvec v)
{
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* Half i of the floats. */
static inline fvec f_part(svec v, int i)
{
    return _mm256_cvtps_pd(i == 0 ? _mm256_castps256_ps128(v) : _mm256_extractf128_ps(v, 1));
}

static inline svec s_set(float x) { return _mm256_set1_ps(x); }
static inline svec s_fma(svec a, svec b, svec c) { return _mm256_fmadd_ps(a, b, c); }
static inline sbits s_whole(int32_t i) { return (sbits)_mm256_set1_epi32(i); }
static inline svec s_of_whole(sbits i) { return _mm256_cvtepi32_ps((__m256i)i); }
static inline svec s_zero(void) { return _mm256_setzero_ps(); }
static inline svec s_load(const float *p) { return _mm256_load_ps(p); }
static inline svec s_load_any(const float *p) { return _mm256_loadu_ps(p); }
static inline void s_store(float *p, svec v) { _mm256_store_ps(p, v); }
static inline svec s_max(svec a, svec b) { return _mm256_max_ps(a, b); }
static inline svec s_min(svec a, svec b) { return _mm256_min_ps(a, b); }

static inline sbits s_less(svec a, svec b)
{
    return (sbits)_mm256_cmp_ps(a, b, _CMP_LT_OQ);
}


static inline float s_max_of(svec v)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

/* The first n, the rest 0; n may be negative or beyond what a vector holds. */
static inline svec s_load_first(const float *p, int n)
{
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n),
                                                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

#endif
