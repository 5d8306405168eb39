/* SPDX-License-Identifier: MIT
 * AVX-512: stored rows -> panels, or products with one row; the formats are in
 * simd_stored.h. */
#include "nn/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "nn/unroll.h"

#define vec __m512
#define ivec __m512i
#define part __m128i

enum { WIDTH = 16 };

static inline vec v_set(float x) { return _mm512_set1_ps(x); }
static inline vec v_mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
static inline void v_store(float *p, vec v) { _mm512_store_ps(p, v); }
static inline vec v_load(const float *p) { return _mm512_load_ps(p); }
static inline vec v_load_any(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store_any(float *p, vec v) { _mm512_storeu_ps(p, v); }
static inline vec v_of_ints(ivec v) { return _mm512_cvtepi32_ps(v); }
static inline vec v_of_bits(ivec v) { return _mm512_castsi512_ps(v); }

static inline ivec i_set(int x) { return _mm512_set1_epi32(x); }
static inline ivec i_and(ivec a, ivec b) { return _mm512_and_si512(a, b); }
static inline ivec i_or(ivec a, ivec b) { return _mm512_or_si512(a, b); }
static inline ivec i_sub(ivec a, ivec b) { return _mm512_sub_epi32(a, b); }
static inline ivec i_less_bytes(ivec a, ivec b) { return _mm512_sub_epi8(a, b); }
static inline ivec i_low(ivec a, ivec b) { return _mm512_unpacklo_epi32(a, b); }
static inline ivec i_high(ivec a, ivec b) { return _mm512_unpackhi_epi32(a, b); }
static inline ivec i_low_pairs(ivec a, ivec b) { return _mm512_unpacklo_epi64(a, b); }
static inline ivec i_high_pairs(ivec a, ivec b) { return _mm512_unpackhi_epi64(a, b); }

static inline ivec i_shift_right(ivec v, int n)
{
    return _mm512_srl_epi32(v, _mm_cvtsi32_si128(n));
}

static inline ivec i_shift_left(ivec v, int n)
{
    return _mm512_sll_epi32(v, _mm_cvtsi32_si128(n));
}

static inline part part_load(const void *p) { return _mm_loadu_si128(p); }
static inline part part_of(int a, int b, int c, int d) { return _mm_setr_epi32(a, b, c, d); }
static inline ivec i_repeat(part v) { return _mm512_broadcast_i32x4(v); }
static inline ivec i_shuffle(ivec v, ivec index) { return _mm512_shuffle_epi8(v, index); }
static inline ivec i_min_bytes(ivec a, ivec b) { return _mm512_min_epu8(a, b); }

static inline ivec i_load_any(const void *p) { return _mm512_loadu_si512(p); }

/* Quarter j of vector i is quarter i of vector j. */
static inline void i_turn_quarters(ivec v[4])
{
    ivec even01 = _mm512_shuffle_i32x4(v[0], v[1], 0x88);
    ivec even23 = _mm512_shuffle_i32x4(v[2], v[3], 0x88);
    ivec odd01 = _mm512_shuffle_i32x4(v[0], v[1], 0xdd);
    ivec odd23 = _mm512_shuffle_i32x4(v[2], v[3], 0xdd);

    v[0] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    v[1] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    v[2] = _mm512_shuffle_i32x4(even01, even23, 0xdd);
    v[3] = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
}

/* Parts of 16 bytes side by side. */
static inline ivec i_join(const part quarter[WIDTH / 4])
{
    ivec v = _mm512_castsi128_si512(quarter[0]);

    v = _mm512_mask_broadcast_i32x4(v, 0x00f0, quarter[1]);
    v = _mm512_mask_broadcast_i32x4(v, 0x0f00, quarter[2]);
    return _mm512_mask_broadcast_i32x4(v, 0xf000, quarter[3]);
}

/* Halves as floats. */
static inline vec v_of_shorts(const short h[WIDTH])
{
    part low = _mm_setr_epi16(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]);
    part high = _mm_setr_epi16(h[8], h[9], h[10], h[11], h[12], h[13], h[14], h[15]);

    return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
}

/* The half in the low 16 bits of every lane. */
static inline vec v_of_halves(ivec v)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v));
}

#include "nn/simd/simd_stored.h"

/* ---- codes ---- */

static inline vec v_sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
static inline ivec i_add(ivec a, ivec b) { return _mm512_add_epi32(a, b); }
static inline ivec i_of_bits(vec v) { return _mm512_castps_si512(v); }

/* v, but NaN where x is. */
static inline vec v_or_nan(vec v, vec x)
{
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x);
}

/* The nearest half, ties to even. */
static inline vec v_to_f16(vec v)
{
    return _mm512_cvtph_ps(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

/* Sixteen floats, looked up by the low 4 bits of every lane. */
struct table {
    vec all;
};

static inline struct table table_of(const float *value)
{
    return (struct table){ v_load_any(value) };
}

static inline vec v_looked_up(struct table t, ivec i)
{
    return _mm512_permutexvar_ps(i, t.all);
}

/* AWQ's order of the eight fields of two words, each shifted to the low bits of its lane; first
   is 0, for a vector holds all of them. */
static inline ivec i_across(const unsigned char *q, int first)
{
    __m256i shift = _mm256_setr_epi32(0, 16, 4, 20, 8, 24, 12, 28);
    ivec words = _mm512_inserti64x4(i_set(word_at(q)), _mm256_set1_epi32(word_at(q + 4)), 1);

    (void)first;
    return _mm512_srlv_epi32(words, _mm512_broadcast_i64x4(shift));
}

#include "nn/simd/simd_codes.h"
#include "nn/simd/simd_turned.h"

const struct stored_kernels stored_avx512 = {
#include "nn/simd/simd_table.h"
};

#endif
