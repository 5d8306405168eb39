/* SPDX-License-Identifier: MIT
 * AVX2: stored rows -> panels, or products with one row; the formats are in
 * simd_stored.h. */
#include "nn/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "nn/unroll.h"

#define vec __m256
#define ivec __m256i
#define part __m128i

enum { WIDTH = 8 };

static inline vec v_set(float x) { return _mm256_set1_ps(x); }
static inline vec v_mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
static inline void v_store(float *p, vec v) { _mm256_store_ps(p, v); }
static inline vec v_load(const float *p) { return _mm256_load_ps(p); }
static inline vec v_load_any(const float *p) { return _mm256_loadu_ps(p); }
static inline void v_store_any(float *p, vec v) { _mm256_storeu_ps(p, v); }
static inline vec v_of_ints(ivec v) { return _mm256_cvtepi32_ps(v); }
static inline vec v_of_bits(ivec v) { return _mm256_castsi256_ps(v); }

static inline ivec i_set(int x) { return _mm256_set1_epi32(x); }
static inline ivec i_and(ivec a, ivec b) { return _mm256_and_si256(a, b); }
static inline ivec i_or(ivec a, ivec b) { return _mm256_or_si256(a, b); }
static inline ivec i_sub(ivec a, ivec b) { return _mm256_sub_epi32(a, b); }
static inline ivec i_less_bytes(ivec a, ivec b) { return _mm256_sub_epi8(a, b); }
static inline ivec i_low(ivec a, ivec b) { return _mm256_unpacklo_epi32(a, b); }
static inline ivec i_high(ivec a, ivec b) { return _mm256_unpackhi_epi32(a, b); }
static inline ivec i_low_pairs(ivec a, ivec b) { return _mm256_unpacklo_epi64(a, b); }
static inline ivec i_high_pairs(ivec a, ivec b) { return _mm256_unpackhi_epi64(a, b); }

static inline ivec i_shift_right(ivec v, int n)
{
    return _mm256_srl_epi32(v, _mm_cvtsi32_si128(n));
}

static inline ivec i_shift_left(ivec v, int n)
{
    return _mm256_sll_epi32(v, _mm_cvtsi32_si128(n));
}

static inline part part_load(const void *p) { return _mm_loadu_si128(p); }
static inline part part_of(int a, int b, int c, int d) { return _mm_setr_epi32(a, b, c, d); }
static inline ivec i_repeat(part v) { return _mm256_broadcastsi128_si256(v); }
static inline ivec i_shuffle(ivec v, ivec index) { return _mm256_shuffle_epi8(v, index); }
static inline ivec i_min_bytes(ivec a, ivec b) { return _mm256_min_epu8(a, b); }

static inline ivec i_load_any(const void *p) { return _mm256_loadu_si256(p); }

/* The upper half of v[0] and the lower half of v[1] change places. */
static inline void i_turn_quarters(ivec v[2])
{
    ivec low = _mm256_permute2x128_si256(v[0], v[1], 0x20);

    v[1] = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    v[0] = low;
}

/* Parts of 16 bytes side by side. */
static inline ivec i_join(const part quarter[WIDTH / 4])
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(quarter[0]), quarter[1], 1);
}

/* Halves as floats. */
static inline vec v_of_shorts(const short h[WIDTH])
{
    return _mm256_cvtph_ps(_mm_setr_epi16(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]));
}

/* The half in the low 16 bits of every lane. */
static inline vec v_of_halves(ivec v)
{
    ivec low = i_and(v, i_set(0xffff));

    return _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low),
                                            _mm256_extracti128_si256(low, 1)));
}

#include "nn/simd/simd_stored.h"

/* ---- codes ---- */

static inline vec v_sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
static inline ivec i_add(ivec a, ivec b) { return _mm256_add_epi32(a, b); }
static inline ivec i_of_bits(vec v) { return _mm256_castps_si256(v); }

/* v, but NaN where x is. */
static inline vec v_or_nan(vec v, vec x)
{
    return _mm256_blendv_ps(v, x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* The nearest half, ties to even. */
static inline vec v_to_f16(vec v)
{
    return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

/* Sixteen floats, looked up by the low 4 bits of every lane. */
struct table {
    vec low, high;
};

static inline struct table table_of(const float *value)
{
    return (struct table){ v_load_any(value), v_load_any(value + WIDTH) };
}

static inline vec v_looked_up(struct table t, ivec i)
{
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(t.low, i),
                            _mm256_permutevar8x32_ps(t.high, i),
                            v_of_bits(_mm256_slli_epi32(i, 28)));
}

/* AWQ's order of the eight fields of a word, each shifted to the low bits of its lane; first
   is 0, for a vector holds all eight. */
static inline ivec i_across(const unsigned char *q, int first)
{
    (void)first;
    return _mm256_srlv_epi32(i_set(word_at(q)), _mm256_setr_epi32(0, 16, 4, 20, 8, 24, 12, 28));
}

#include "nn/simd/simd_codes.h"
#include "nn/simd/simd_turned.h"

const struct stored_kernels stored_avx2 = {
#include "nn/simd/simd_table.h"
};

#endif
