/* SPDX-License-Identifier: MIT
 * NEON: stored rows -> panels, or products with one row; the formats are in
 * simd_stored.h. */
#include "nn/kernels.h"

#if defined(__AARCH64EL__)

#include <arm_neon.h>
#include <string.h>

#include "nn/unroll.h"

#define vec float32x4_t
#define ivec int32x4_t
#define part int32x4_t

enum { WIDTH = 4 };

static inline vec v_set(float x) { return vdupq_n_f32(x); }
static inline vec v_mul(vec a, vec b) { return vmulq_f32(a, b); }
static inline vec v_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }
static inline void v_store(float *p, vec v) { vst1q_f32(p, v); }
static inline vec v_load(const float *p) { return vld1q_f32(p); }
static inline vec v_load_any(const float *p) { return vld1q_f32(p); }
static inline void v_store_any(float *p, vec v) { vst1q_f32(p, v); }
static inline vec v_of_ints(ivec v) { return vcvtq_f32_s32(v); }
static inline vec v_of_bits(ivec v) { return vreinterpretq_f32_s32(v); }

static inline ivec i_set(int x) { return vdupq_n_s32(x); }
static inline ivec i_and(ivec a, ivec b) { return vandq_s32(a, b); }
static inline ivec i_or(ivec a, ivec b) { return vorrq_s32(a, b); }
static inline ivec i_sub(ivec a, ivec b) { return vsubq_s32(a, b); }
static inline ivec i_low(ivec a, ivec b) { return vzip1q_s32(a, b); }
static inline ivec i_high(ivec a, ivec b) { return vzip2q_s32(a, b); }

static inline uint8x16_t bytes(ivec v) { return vreinterpretq_u8_s32(v); }
static inline ivec i_of_bytes(uint8x16_t v) { return vreinterpretq_s32_u8(v); }

static inline ivec i_less_bytes(ivec a, ivec b)
{
    return i_of_bytes(vsubq_u8(bytes(a), bytes(b)));
}

static inline ivec i_min_bytes(ivec a, ivec b)
{
    return i_of_bytes(vminq_u8(bytes(a), bytes(b)));
}

static inline ivec i_low_pairs(ivec a, ivec b)
{
    return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

static inline ivec i_high_pairs(ivec a, ivec b)
{
    return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

static inline ivec i_shift_right(ivec v, int n)
{
    return vreinterpretq_s32_u32(vreinterpretq_u32_s32(v) >> n);
}

static inline ivec i_shift_left(ivec v, int n)
{
    return vreinterpretq_s32_u32(vreinterpretq_u32_s32(v) << n);
}

static inline part part_load(const void *p) { return i_of_bytes(vld1q_u8(p)); }

static inline part part_of(int a, int b, int c, int d)
{
    const int32_t word[4] = { a, b, c, d };

    return vld1q_s32(word);
}

static inline ivec i_repeat(part v) { return v; }
static inline ivec i_load_any(const void *p) { return part_load(p); }
static inline void i_turn_quarters(ivec v[1]) { (void)v; }
static inline ivec i_join(const part quarter[WIDTH / 4]) { return quarter[0]; }

/* 0 where the index has its top bit. */
static inline ivec i_shuffle(ivec v, ivec index)
{
    return i_of_bytes(vqtbl1q_u8(bytes(v), bytes(index)));
}

/* Halves as floats. */
static inline vec v_of_shorts(const short h[WIDTH])
{
    return vcvt_f32_f16(vreinterpret_f16_s16(vld1_s16(h)));
}

/* The half in the low 16 bits of every lane. */
static inline vec v_of_halves(ivec v)
{
    return vcvt_f32_f16(vreinterpret_f16_s16(vmovn_s32(v)));
}

#include "nn/simd/simd_stored.h"

/* ---- codes ---- */

static inline vec v_sub(vec a, vec b) { return vsubq_f32(a, b); }
static inline ivec i_add(ivec a, ivec b) { return vaddq_s32(a, b); }
static inline ivec i_of_bits(vec v) { return vreinterpretq_s32_f32(v); }

/* v, but NaN where x is. */
static inline vec v_or_nan(vec v, vec x) { return vbslq_f32(vceqq_f32(x, x), v, x); }

/* The nearest half, ties to even. */
static inline vec v_to_f16(vec v) { return vcvt_f32_f16(vcvt_f16_f32(v)); }

/* Sixteen floats, looked up by a lane of 0 to 15. */
struct table {
    uint8x16x4_t all;
};

static inline struct table table_of(const float *value)
{
    return (struct table){ vld1q_u8_x4((const uint8_t *)value) };
}

static inline vec v_looked_up(struct table t, ivec i)
{
    ivec index = i_add(vmulq_n_s32(i, 0x04040404), i_set(0x03020100));

    return vreinterpretq_f32_u8(vqtbl4q_u8(t.all, bytes(index)));
}

/* AWQ's order of four of the eight fields of a word, those from the first on, each shifted to
   the low bits of its lane; first: 0 or 4. */
static inline ivec i_across(const unsigned char *q, int first)
{
    static const int32_t shift[8] = { 0, -16, -4, -20, -8, -24, -12, -28 };
    uint32x4_t word = vdupq_n_u32((uint32_t)word_at(q));

    return vreinterpretq_s32_u32(vshlq_u32(word, vld1q_s32(shift + first)));
}

#include "nn/simd/simd_codes.h"
#include "nn/simd/simd_turned.h"

const struct stored_kernels stored_neon = {
#include "nn/simd/simd_table.h"
};

#endif
