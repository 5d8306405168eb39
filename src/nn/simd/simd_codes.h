/* SPDX-License-Identifier: MIT
 *
 * Codes of base/packed_codes.h -> panels, in vectors.  Not a header in the usual sense:
 * the kernels' files include it after simd_stored.h and some functions on their vectors
 * (i_across, v_looked_up, v_to_f16 and so on).
 *
 * A lane is an output.  Every lane has a word with the fields of its next inputs, except in
 * ACROSS, where the fields of a word are the lanes. */
#ifndef NN_SIMD_CODES_H
#define NN_SIMD_CODES_H

/* How codes are decoded; all except the table are constants after inlining. */
struct decoder {
    enum { IS_CODE, IS_TABLE, IS_INT8, IS_E4M3, IS_E5M2 } kind;
    enum packed_round round;
    struct table table;
};

/* As bf16_round, to the bit. */
static INLINE vec v_to_bf16(vec v)
{
    ivec bits = i_of_bits(v), odd = i_and(i_shift_right(bits, 16), i_set(1));
    ivec up = i_add(bits, i_add(odd, i_set(0x7fff)));

    return v_or_nan(v_of_bits(i_and(up, i_set((int)0xffff0000))), v);
}

/* As f8_e4m3_to_float, to the bit; code: 0 to 255. */
static INLINE vec v_of_e4m3(ivec code)
{
    ivec size = i_and(code, i_set(0x7f));
    vec v = v_mul(v_of_bits(i_shift_left(size, 20)), v_set(0x1p120f));

    v = v_or_nan(v, v_of_bits(i_or(i_shift_left(size, 24), i_set(0x00c00000))));
    return v_of_bits(i_or(i_of_bits(v), i_shift_left(i_and(code, i_set(0x80)), 24)));
}

/* The upper half of a float of 16 bits. */
static INLINE vec v_of_e5m2(ivec code)
{
    return v_of_halves(i_shift_left(code, 8));
}

/* Two's complement of 8 bits. */
static INLINE vec v_of_int8(ivec code)
{
    return v_of_ints(i_sub(code, i_shift_left(i_and(code, i_set(0x80)), 1)));
}

static INLINE vec value_of(ivec code, const struct decoder d)
{
    switch (d.kind) {
    case IS_TABLE:
        return v_looked_up(d.table, code);
    case IS_INT8:
        return v_of_int8(code);
    case IS_E4M3:
        return v_of_e4m3(code);
    case IS_E5M2:
        return v_of_e5m2(code);
    default:
        return v_of_ints(code);
    }
}

static INLINE void decode_to(float *out, ivec code, vec zero, vec scale, const struct decoder d)
{
    vec v = v_mul(v_sub(value_of(code, d), zero), scale);

    if (d.kind == IS_INT8)
        v = v_mul(v, v_set(1.0f / 127));
    if (d.round == PACKED_F16)
        v = v_to_f16(v);
    else if (d.round == PACKED_BF16)
        v = v_to_bf16(v);
    v_store(out, v);
}

/* The fields of words, the one of input i at (i ^ flip) * bits. */
static INLINE void put_fields(float *at, int width, ivec word, int bits, int flip, vec zero,
                              vec scale, const struct decoder d)
{
    ivec mask = i_set((1 << bits) - 1);

    for (int i = 0; i * bits < 32; i++)
        decode_to(at + i * width, i_and(i_shift_right(word, (i ^ flip) * bits), mask), zero, scale,
                  d);
}

static INLINE void down(float *panel, int width, const struct packed_part *packed, const int bits)
{
    const struct packed_codes *c = packed->codes;
    const struct decoder exact = { .kind = IS_CODE };
    int per = 32 / bits;

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + packed->k / per * c->stride + 4 * (packed->o + row);
        vec zero = v_load(packed->zero + row), scale = v_load(packed->scale + row);
        float *at = panel + row;

        for (int k = 0; k < packed->n; k += per, q += c->stride, at += per * width)
            put_fields(at, width, i_load_any(q), bits, 0, zero, scale, exact);
    }
}

static void unpack_down(float *panel, int width, const struct packed_part *packed)
{
    if (packed->codes->bits == 4)
        down(panel, width, packed, 4);
    else if (packed->codes->bits == 2)
        down(panel, width, packed, 2);
    else
        down(panel, width, packed, 8);
}

static void unpack_across(float *panel, int width, const struct packed_part *packed)
{
    const struct packed_codes *c = packed->codes;
    const struct decoder exact = { .kind = IS_CODE };

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + packed->k * c->stride + (packed->o + row) / 8 * 4;
        vec zero = v_load(packed->zero + row), scale = v_load(packed->scale + row);

        for (int k = 0; k < packed->n; k++, q += c->stride)
            decode_to(panel + k * width + row, i_and(i_across(q, row % 8), i_set(15)), zero, scale,
                      exact);
    }
}

static INLINE void along(float *panel, int width, const struct packed_part *packed, const int bits,
                         const struct decoder d)
{
    const struct packed_codes *c = packed->codes;
    int per = 32 / bits;

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + (packed->o + row) * c->stride + packed->k * bits / 8;
        vec zero = v_load(packed->zero + row), scale = v_load(packed->scale + row);
        float *at = panel + row;
        int k = 0;

        for (; k + 4 * per <= packed->n; k += 4 * per, q += 16) {
            ivec four[4];

            sixteen_bytes(four, q, c->stride);
            for (int i = 0; i < 4; i++, at += per * width)
                put_fields(at, width, four[i], bits, c->high_first, zero, scale, d);
        }
        for (; k < packed->n; k += per, q += 4, at += per * width)
            put_fields(at, width, rows_word(q, c->stride), bits, c->high_first, zero, scale, d);
    }
}

static void bytes_along(float *panel, int width, const struct packed_part *packed)
{
    switch (packed->codes->is) {
    case PACKED_INT8:
        along(panel, width, packed, 8, (struct decoder){ .kind = IS_INT8 });
        return;
    case PACKED_E4M3:
        along(panel, width, packed, 8, (struct decoder){ .kind = IS_E4M3 });
        return;
    case PACKED_E5M2:
        along(panel, width, packed, 8, (struct decoder){ .kind = IS_E5M2 });
        return;
    default:
        along(panel, width, packed, 8, (struct decoder){ .kind = IS_CODE });
    }
}

static void unpack_along(float *panel, int width, const struct packed_part *packed)
{
    const struct packed_codes *c = packed->codes;
    struct table t;

    if (c->bits == 8) {
        bytes_along(panel, width, packed);
        return;
    }
    if (c->value == NULL) {
        along(panel, width, packed, 4, (struct decoder){ .kind = IS_CODE });
        return;
    }
    t = table_of(c->value);
    if (c->round == PACKED_EXACT)
        along(panel, width, packed, 4, (struct decoder){ IS_TABLE, PACKED_EXACT, t });
    else if (c->round == PACKED_F16)
        along(panel, width, packed, 4, (struct decoder){ IS_TABLE, PACKED_F16, t });
    else
        along(panel, width, packed, 4, (struct decoder){ IS_TABLE, PACKED_BF16, t });
}

static void scale_listed(float *panel, int width, const int *input, int n, const float *zero,
                         const float *scale)
{
    for (int row = 0; row < width; row += WIDTH) {
        vec less = v_load(zero + row), times = v_load(scale + row);

        for (int i = 0; i < n; i++) {
            float *at = panel + (int64_t)input[i] * width + row;

            v_store(at, v_mul(v_sub(v_load(at), less), times));
        }
    }
}

#endif
