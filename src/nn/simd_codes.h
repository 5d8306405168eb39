/* SPDX-License-Identifier: MIT
 *
 * Codes of base/packed_codes.h -> panels, in vectors.  Not a header in the usual sense:
 * the kernels' files include it after simd_stored.h and what else it needs of their vectors
 * (i_across, v_looked_up, v_to_f16 and so on).
 *
 * A lane is an output.  Every lane has a word with the fields of its next inputs, except in
 * ACROSS, where the fields of a word are the lanes. */
#ifndef NN_SIMD_CODES_H
#define NN_SIMD_CODES_H

/* What becomes of a code; is_table and round are constants wherever it is inlined. */
struct decoder {
    bool is_table;
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

static INLINE void decode_to(float *out, ivec code, vec zero, vec scale, const struct decoder d)
{
    vec v = d.is_table ? v_looked_up(d.table, code) : v_of_ints(code);

    v = v_mul(v_sub(v, zero), scale);
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

static INLINE void down(float *panel, int width, const struct packed_part *p, const int bits)
{
    const struct packed_codes *c = p->codes;
    const struct decoder exact = { .is_table = false };
    int per = 32 / bits;

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + p->k / per * c->stride + 4 * (p->o + row);
        vec zero = v_load(p->zero + row), scale = v_load(p->scale + row);
        float *at = panel + row;

        for (int k = 0; k < p->n; k += per, q += c->stride, at += per * width)
            put_fields(at, width, i_load_any(q), bits, 0, zero, scale, exact);
    }
}

static void unpack_down(float *panel, int width, const struct packed_part *p)
{
    if (p->codes->bits == 4)
        down(panel, width, p, 4);
    else if (p->codes->bits == 2)
        down(panel, width, p, 2);
    else
        down(panel, width, p, 8);
}

static void unpack_across(float *panel, int width, const struct packed_part *p)
{
    const struct packed_codes *c = p->codes;
    const struct decoder exact = { .is_table = false };

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + p->k * c->stride + (p->o + row) / 8 * 4;
        vec zero = v_load(p->zero + row), scale = v_load(p->scale + row);

        for (int k = 0; k < p->n; k++, q += c->stride)
            decode_to(panel + k * width + row, i_and(i_across(q, row % 8), i_set(15)), zero, scale,
                      exact);
    }
}

static INLINE void along(float *panel, int width, const struct packed_part *p,
                         const struct decoder d)
{
    const struct packed_codes *c = p->codes;

    for (int row = 0; row < width; row += WIDTH) {
        const unsigned char *q = c->q + (p->o + row) * c->stride + p->k / 2;
        vec zero = v_load(p->zero + row), scale = v_load(p->scale + row);
        float *at = panel + row;

        for (int k = 0; k < p->n; k += 32, q += 16) {
            ivec four[4];

            sixteen_bytes(four, q, c->stride);
            for (int i = 0; i < 4; i++, at += 8 * width)
                put_fields(at, width, four[i], 4, c->high_first, zero, scale, d);
        }
    }
}

static void unpack_along(float *panel, int width, const struct packed_part *p)
{
    const struct packed_codes *c = p->codes;
    struct table t;

    if (c->value == NULL) {
        along(panel, width, p, (struct decoder){ .is_table = false });
        return;
    }
    t = table_of(c->value);
    if (c->round == PACKED_EXACT)
        along(panel, width, p, (struct decoder){ true, PACKED_EXACT, t });
    else if (c->round == PACKED_F16)
        along(panel, width, p, (struct decoder){ true, PACKED_F16, t });
    else
        along(panel, width, p, (struct decoder){ true, PACKED_BF16, t });
}

#endif
