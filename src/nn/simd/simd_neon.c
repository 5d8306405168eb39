/* SPDX-License-Identifier: MIT
 * NEON kernels: vectors and decoding; rows in simd_rows.h, products in tile_neon.c.  The
 * lanes of every sum are those of AVX2, so that the bytes are too. */
#include "base/elementary.h"
#include "nn/kernels.h"
#include "nn/scan.h"
#include "nn/softmax.h"
#include "nn/tile.h"

#if defined(__AARCH64EL__)

#include <arm_neon.h>
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- vectors ---- */

#define vec float32x4_t
#define dvec float64x2_t
#define vmask uint32x4_t

enum { WIDTH = 4, DWIDTH = 2 };
#define EXP_LOWEST (-105.0f)        /* v_scale gives 0 below 2^-126 */

static inline vec v_set(float x) { return vdupq_n_f32(x); }
static inline vec v_load(const float *p) { return vld1q_f32(p); }
static inline void v_store(float *p, vec v) { vst1q_f32(p, v); }
static inline vec v_load_any(const float *p) { return vld1q_f32(p); }
static inline void v_store_any(float *p, vec v) { vst1q_f32(p, v); }
static inline vec v_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }

/* NaN where one is. */
static inline vec v_max(vec a, vec b) { return vmaxq_f32(a, b); }
static inline vec v_min(vec a, vec b) { return vminq_f32(a, b); }
static inline float v_max_of(vec v) { return vmaxvq_f32(v); }
static inline vec v_abs(vec v) { return vabsq_f32(v); }
static inline vec v_round(vec v) { return vrndnq_f32(v); }

/* 0 where v is below 0; -0 and NaN stay. */
static inline vec v_positive(vec v)
{
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(v), vcltzq_f32(v)));
}

/* Halves, then two. */
static inline float v_sum(vec v)
{
    return vaddv_f32(vadd_f32(vget_low_f32(v), vget_high_f32(v)));
}

static inline vmask v_greater(vec a, vec b) { return vcgtq_f32(a, b); }

/* a where the mask is set, else b. */
static inline vec v_keep(vmask m, vec a, vec b) { return vbslq_f32(m, a, b); }

/* v 2^n for whole n <= 128; 0 where n < -126. */
static inline vec v_scale(vec v, vec n)
{
    int32x4_t biased = vcvtq_s32_f32(n) + vdupq_n_s32(127);
    vec scaled = v * vreinterpretq_f32_s32(vshlq_n_s32(biased, 23));

    return v_keep(v_greater(v_set(-126.0f), n), v_set(0), scaled);
}

/* The bits of a whole number in each element. */
static inline vec v_bits(int i) { return vreinterpretq_f32_s32(vdupq_n_s32(i)); }

/* |a| with the sign of s. */
static inline vec v_sign_of(vec s, vec a) { return vbslq_f32(vdupq_n_u32(0x80000000), s, a); }

/* Which of the columns s .. s + WIDTH - 1 lie in [first, end). */
static inline vmask v_between(int s, int first, int end)
{
    static const int32_t from[WIDTH] = { 0, 1, 2, 3 };
    int32x4_t column = vdupq_n_s32(s) + vld1q_s32(from);

    return vcgeq_s32(column, vdupq_n_s32(first)) & vcltq_s32(column, vdupq_n_s32(end));
}

/* The first n elements, the rest 0; n may be negative or beyond WIDTH. */
static inline vec v_load_first(const float *p, int n)
{
    float few[WIDTH] = { 0 };

    if (n >= WIDTH)
        return v_load_any(p);
    if (n > 0)
        memcpy(few, p, (size_t)n * sizeof *p);
    return v_load_any(few);
}

static inline void v_store_first(float *p, vec v, int n)
{
    float few[WIDTH];

    if (n >= WIDTH) {
        v_store_any(p, v);
        return;
    }
    v_store_any(few, v);
    if (n > 0)
        memcpy(p, few, (size_t)n * sizeof *p);
}

static inline dvec d_set(double x) { return vdupq_n_f64(x); }
static inline dvec d_fma(dvec a, dvec b, dvec c) { return vfmaq_f64(c, a, b); }
static inline dvec d_load(const double *p) { return vld1q_f64(p); }
static inline void d_store(double *p, dvec v) { vst1q_f64(p, v); }
static inline dvec d_of_floats(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
static inline void d_to_floats(float *p, dvec v) { vst1_f32(p, vcvt_f32_f64(v)); }

static inline dvec d_part(vec v, int i)
{
    return i == 0 ? vcvt_f64_f32(vget_low_f32(v)) : vcvt_high_f64_f32(v);
}

static inline double d_tree(dvec v) { return vaddvq_f64(v); }

static inline vec v_low(vec a, vec b) { return vzip1q_f32(a, b); }
static inline vec v_high(vec a, vec b) { return vzip2q_f32(a, b); }

static inline vec v_low_pairs(vec a, vec b)
{
    return vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

static inline vec v_high_pairs(vec a, vec b)
{
    return vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

/* Four columns of a row: the quarters of a longer vector are other rows. */
static inline vec v_quarters(const float *w, int64_t stride)
{
    (void)stride;
    return vld1q_f32(w);
}

/* ---- what simd_256.h is to the others ---- */

#define fvec float64x2_t
#define fbits int64x2_t
#define svec float32x4_t
#define sbits int32x4_t

enum { FWIDTH = DWIDTH };

static inline fvec f_set(double x) { return vdupq_n_f64(x); }
static inline fvec f_of(const double v[FWIDTH]) { return vld1q_f64(v); }
static inline fvec f_load(const float *p) { return d_of_floats(p); }
static inline fvec f_load_double(const double *p) { return vld1q_f64(p); }
static inline void f_store(double *p, fvec v) { vst1q_f64(p, v); }
static inline fvec f_abs(fvec v) { return vabsq_f64(v); }
static inline fvec f_fma(fvec a, fvec b, fvec c) { return vfmaq_f64(c, a, b); }
static inline fvec f_fnma(fvec a, fvec b, fvec c) { return vfmsq_f64(c, a, b); }
static inline fbits f_less(fvec a, fvec b) { return vreinterpretq_s64_u64(vcltq_f64(a, b)); }
static inline fbits f_at_most(fvec a, fvec b) { return vreinterpretq_s64_u64(vcleq_f64(a, b)); }
static inline fvec f_keep(fbits mask, fvec v)
{
    return vreinterpretq_f64_s64(mask & vreinterpretq_s64_f64(v));
}

static inline bool f_any(fbits mask) { return vmaxvq_u32(vreinterpretq_u32_s64(mask)) != 0; }
static inline fbits f_whole(int64_t i) { return vdupq_n_s64(i); }

static inline double f_tree(fvec v) { return d_tree(v); }
static inline fvec f_part(svec v, int i) { return d_part(v, i); }

static inline svec s_set(float x) { return v_set(x); }
static inline svec s_fma(svec a, svec b, svec c) { return v_fma(a, b, c); }
static inline sbits s_whole(int32_t i) { return vdupq_n_s32(i); }
static inline svec s_of_whole(sbits i) { return vcvtq_f32_s32(i); }
static inline svec s_zero(void) { return v_set(0); }
static inline svec s_load(const float *p) { return v_load(p); }
static inline svec s_load_any(const float *p) { return v_load_any(p); }
static inline void s_store(float *p, svec v) { v_store(p, v); }
static inline svec s_max(svec a, svec b) { return v_max(a, b); }
static inline svec s_min(svec a, svec b) { return v_min(a, b); }
static inline sbits s_less(svec a, svec b) { return vreinterpretq_s32_u32(vcltq_f32(a, b)); }
static inline float s_max_of(svec v) { return v_max_of(v); }
static inline svec s_load_first(const float *p, int n) { return v_load_first(p, n); }

#include "nn/simd/simd_rows.h"
#include "nn/simd/simd_facts.h"
#include "nn/simd/simd_top.h"

/* ---- decoding ---- */

static void neon_decode_f16(float *out, const unsigned char *data, int64_t n)
{
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH)
        vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(data + 2 * i))));
    kernels_c.decode_f16(out + i, data + 2 * i, n - i);
}

static void neon_decode_bf16(float *out, const unsigned char *data, int64_t n)
{
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH) {
        uint16x4_t half = vreinterpret_u16_u8(vld1_u8(data + 2 * i));

        vst1q_f32(out + i, vreinterpretq_f32_u32(vshll_n_u16(half, 16)));
    }
    kernels_c.decode_bf16(out + i, data + 2 * i, n - i);
}

/* A part of every such processor: the rest of the program uses it too. */
static bool neon_supported(void)
{
    return true;
}

const struct facts_kernels facts_neon = FACTS_KERNELS;

const struct kernels kernels_neon = {
    .name = "neon", .supported = neon_supported,
    .width = 16, .rows = tile_neon_rows, .transpose = transpose, .stored = &stored_neon,
    .decode_f16 = neon_decode_f16, .decode_bf16 = neon_decode_bf16,
    .softmax = softmax, .scan = scan, .scan_block = scan_block, .facts = &facts_neon,
    .strongest = strongest,
    .act = act, .norm = norm, .add = add,
    .gather = gather, .blend = blend, .outer = outer, .inner = inner,
};

#endif
