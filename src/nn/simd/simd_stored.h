/* SPDX-License-Identifier: MIT
 *
 * Stored rows -> panels, or their products with one row x, in vectors.  Not a header in
 * the usual sense: stored_avx2.c, stored_avx512.c and stored_neon.c include it after their own
 * vectors (vec: WIDTH floats, ivec: as many integers, part: 16 bytes) and the v_, i_ and
 * part_ functions on them.
 *
 * A lane is a row.  Bytes are transposed four at a time, before they become floats: that
 * takes a quarter of the shuffles.  The layouts stand above each type in
 * weights/dequant.c, and the floats are the same to the last bit: d times a scale times
 * a whole number has at most 24 bits, so that only the minimum is rounded, once.
 *
 * A byte is turned into a float from the top of a lane, which multiplies it by 2^24: the
 * scales are smaller by as much. */
#ifndef NN_SIMD_STORED_H
#define NN_SIMD_STORED_H

#define INLINE inline __attribute__((always_inline))
#define TOP 0x1p-24f        /* of a byte that became a float */

/* ---- bytes of every row ---- */

/* 16 bytes of rows 0, 4 and so on. */
static INLINE ivec i_quarters(const unsigned char *data, int64_t stride)
{
    part quarter[WIDTH / 4];

    UNROLL
    for (int i = 0; i < WIDTH / 4; i++)
        quarter[i] = part_load(data + 4 * i * stride);
    return i_join(quarter);
}

static INLINE int word_at(const unsigned char *p)
{
    int word;

    memcpy(&word, p, sizeof word);
    return word;
}

static INLINE ivec rows_word(const unsigned char *data, int64_t stride)
{
    part quarter[WIDTH / 4];

    UNROLL
    for (int i = 0; i < WIDTH / 4; i++, data += 4 * stride)
        quarter[i] = part_of(word_at(data), word_at(data + stride), word_at(data + 2 * stride),
                             word_at(data + 3 * stride));
    return i_join(quarter);
}

static INLINE short half_at(const unsigned char *p)
{
    short half;

    memcpy(&half, p, sizeof half);
    return half;
}

static INLINE vec rows_half(const unsigned char *data, int64_t stride)
{
    short half[WIDTH];

    UNROLL
    for (int i = 0; i < WIDTH; i += 4, data += 4 * stride) {
        half[i] = half_at(data);
        half[i + 1] = half_at(data + stride);
        half[i + 2] = half_at(data + 2 * stride);
        half[i + 3] = half_at(data + 3 * stride);
    }
    return v_of_shorts(half);
}

/* Word j of each quarter of four rows, beside each other, in word[j]. */
static INLINE void four_rows(ivec word[4], ivec a, ivec b, ivec c, ivec d)
{
    ivec ab_low = i_low(a, b), ab_high = i_high(a, b);
    ivec cd_low = i_low(c, d), cd_high = i_high(c, d);

    word[0] = i_low_pairs(ab_low, cd_low);
    word[1] = i_high_pairs(ab_low, cd_low);
    word[2] = i_low_pairs(ab_high, cd_high);
    word[3] = i_high_pairs(ab_high, cd_high);
}

/* Four bytes of every row, from bytes 4 j on, in four[j]. */
static INLINE void sixteen_bytes(ivec four[4], const unsigned char *data, int64_t stride)
{
    four_rows(four, i_quarters(data, stride), i_quarters(data + stride, stride),
              i_quarters(data + 2 * stride, stride), i_quarters(data + 3 * stride, stride));
}

/*
 * The same of 4 WIDTH bytes.  Each row is read at once: where rows are a power of two apart, what
 * the cache keeps of one is gone after the others.
 */
static INLINE void many_bytes(ivec four[WIDTH], const unsigned char *data, int64_t stride)
{
    ivec word[WIDTH / 4][4], quarter[WIDTH / 4];

    UNROLL
    for (int i = 0; i < WIDTH / 4; i++, data += 4 * stride)
        four_rows(word[i], i_load_any(data), i_load_any(data + stride),
                  i_load_any(data + 2 * stride), i_load_any(data + 3 * stride));
    UNROLL
    for (int j = 0; j < 4; j++) {
        UNROLL
        for (int i = 0; i < WIDTH / 4; i++)
            quarter[i] = word[i][j];
        i_turn_quarters(quarter);
        UNROLL
        for (int i = 0; i < WIDTH / 4; i++)
            four[4 * i + j] = quarter[i];
    }
}

static INLINE void thirty_two_bytes(ivec four[8], const unsigned char *data, int64_t stride)
{
    sixteen_bytes(four, data, stride);
    sixteen_bytes(four + 4, data + 16, stride);
}

/* The bits of every byte that mask has, after a shift to the right. */
static INLINE ivec bits_of(ivec four, int shift, int mask)
{
    return i_and(i_shift_right(four, shift), i_set(mask * 0x01010101));
}

static INLINE ivec i_sub_bytes(ivec four, int x)
{
    return i_less_bytes(four, i_set((int)((unsigned)(x & 255) * 0x01010101u)));
}

/* Byte i of every lane at its top, above zeros. */
static INLINE ivec i_to_top(ivec v, int i)
{
    int at = i << 24;

    return i_shuffle(v, i_repeat(part_of(0x00808080 + at, 0x04808080 + at, 0x08808080 + at,
                                         0x0c808080 + at)));
}

/* Bits 4 i .. 4 i + 3 of every lane as its bytes, 0 or 1. */
static INLINE ivec i_bits_to_bytes(ivec v, int i)
{
    int at = i / 2 * 0x01010101;
    ivec bytes = i_shuffle(v, i_repeat(part_of(at, 0x04040404 + at, 0x08080808 + at,
                                               0x0c0c0c0c + at)));
    ivec bit = i_and(bytes, i_set(i % 2 == 0 ? 0x08040201 : (int)0x80402010));

    return i_min_bytes(bit, i_set(0x01010101));
}

/* Signed byte i of every row, times 2^24. */
static INLINE vec byte_at(ivec four, int i)
{
    return v_of_ints(i_to_top(four, i));
}

/* ---- elements ---- */

/*
 * Where the next element of the rows goes: into a panel, and how far apart they are; or
 * into a sum, times the next element of x; or, four whole numbers at a time, to where turned
 * rows are (simd_turned.h).  Which of these is a constant wherever it is inlined.
 */
struct column {
    float *at;
    int64_t step;
    bool is_sum;
    const float *x;
    vec sum;
    unsigned char *turned;      /* NULL: one of the above */
    int group, bits, n;         /* elements with one scale; of an element; elements so far */
    int lowest;                 /* of halves of a byte: -8 or 0 */
    ivec lower;                 /* of halves of a byte: the four that wait for four more */
};

static INLINE void put(struct column *column, vec v)
{
    if (column->is_sum) {
        column->sum = v_fma(v_set(*column->x++), v, column->sum);
        return;
    }
    v_store(column->at, v);
    column->at += column->step;
}

static INLINE void i_store(unsigned char *p, ivec v)
{
    v_store((float *)(void *)p, v_of_bits(v));
}

/* add is NULL where there are no minima. */
static INLINE void keep_four(struct column *column, ivec four, const vec *scale, const vec *add)
{
    const vec *of_group[] = { scale, add };

    for (int i = 0; i < 2 && column->n % column->group == 0 && of_group[i] != NULL; i++) {
        v_store((float *)(void *)column->turned, *of_group[i]);
        column->turned += 4 * WIDTH;
    }
    column->n += 4;
    if (column->bits == 4) {
        four = i_sub_bytes(four, column->lowest);
        if (column->n % 8 != 0) {
            column->lower = four;
            return;
        }
        four = i_or(column->lower, i_shift_left(four, 4));
    }
    i_store(column->turned, four);
    column->turned += 4 * WIDTH;
}

static INLINE void put_products(struct column *column, ivec four, vec scale)
{
    if (column->turned != NULL) {
        keep_four(column, four, &scale, NULL);
        return;
    }
    UNROLL
    for (int i = 0; i < 4; i++)
        put(column, v_mul(byte_at(four, i), scale));
}

static INLINE void put_sums(struct column *column, ivec four, vec scale, vec add)
{
    if (column->turned != NULL) {
        keep_four(column, four, &scale, &add);
        return;
    }
    UNROLL
    for (int i = 0; i < 4; i++)
        put(column, v_fma(byte_at(four, i), scale, add));
}

/* ---- floats, and 16 bits ---- */

static INLINE void put_word(struct column *column, ivec four, const enum element element)
{
    if (element == ELEMENT_F32) {
        put(column, v_of_bits(four));
    } else if (element == ELEMENT_F16) {
        put(column, v_of_halves(four));
        put(column, v_of_halves(i_shift_right(four, 16)));
    } else {
        put(column, v_of_bits(i_shift_left(four, 16)));
        put(column, v_of_bits(i_and(four, i_set((int)0xffff0000))));
    }
}

/* Words first .. end - 1 of 16 bytes. */
static INLINE void put_words(struct column *column, const unsigned char *data, int64_t stride,
                             const enum element element, int first, int end)
{
    ivec four[4];

    sixteen_bytes(four, data, stride);
    UNROLL
    for (int i = 0; i < 4; i++)
        if (i >= first && i < end)
            put_word(column, four[i], element);
}

static INLINE void put_sixteen_bytes(struct column *column, const unsigned char *data,
                                     int64_t stride, const enum element element)
{
    put_words(column, data, stride, element, 0, 4);
}

static INLINE void put_many_bytes(struct column *column, const unsigned char *data, int64_t stride,
                                  const enum element element)
{
    ivec four[WIDTH];

    many_bytes(four, data, stride);
    UNROLL
    for (int i = 0; i < WIDTH; i++)
        put_word(column, four[i], element);
}

static INLINE void f16(struct column *column, const unsigned char *data, int64_t stride)
{
    put_sixteen_bytes(column, data, stride, ELEMENT_F16);
}

static INLINE void bf16(struct column *column, const unsigned char *data, int64_t stride)
{
    put_sixteen_bytes(column, data, stride, ELEMENT_BF16);
}

/* ---- 32 elements ---- */

/* Elements 4 i .. 4 i + 3 of 16 bytes of halves. */
static INLINE ivec halves(const ivec q[4], int i)
{
    return bits_of(q[i % 4], i / 4 * 4, 15);
}

/* The same with bits 4 i .. 4 i + 3 of high on top of them. */
static INLINE ivec five_bits(const ivec q[4], ivec high, int i)
{
    return i_or(halves(q, i), i_shift_left(i_bits_to_bytes(high, i), 4));
}

static INLINE ivec iq4_values(const ivec q[4], int i)
{
    static const signed char value[16] = {
        -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
    };

    return i_shuffle(i_repeat(part_load(value)), halves(q, i));
}

static INLINE void q4_0(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP));
    ivec q[4];

    sixteen_bytes(q, b + 2, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_products(column, i_sub_bytes(halves(q, i), 8), d);
}

static INLINE void q4_1(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP)), m = rows_half(b + 2, stride);
    ivec q[4];

    sixteen_bytes(q, b + 4, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_sums(column, halves(q, i), d, m);
}

static INLINE void q5_0(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP));
    ivec high = rows_word(b + 2, stride), q[4];

    sixteen_bytes(q, b + 6, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_products(column, i_sub_bytes(five_bits(q, high, i), 16), d);
}

static INLINE void q5_1(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP)), m = rows_half(b + 2, stride);
    ivec high = rows_word(b + 4, stride), q[4];

    sixteen_bytes(q, b + 8, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_sums(column, five_bits(q, high, i), d, m);
}

static INLINE void q8_0(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP));
    ivec q[8];

    thirty_two_bytes(q, b + 2, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_products(column, q[i], d);
}

static INLINE void iq4_nl(struct column *column, const unsigned char *b, int64_t stride)
{
    vec d = v_mul(rows_half(b, stride), v_set(TOP));
    ivec q[4];

    sixteen_bytes(q, b + 2, stride);
    UNROLL
    for (int i = 0; i < 8; i++)
        put_products(column, iq4_values(q, i), d);
}

static INLINE ivec e2m1_values(const ivec q[4], int i)
{
    static const signed char value[16] = {
        0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12,
    };

    return i_shuffle(i_repeat(part_load(value)), halves(q, i));
}

/* 2^(n - 64) of every row. */
static INLINE vec power_of(ivec n)
{
    return v_of_bits(i_shift_left(i_sub(n, i_set(64 - 127)), 23));
}

/* 2^(e - 128) in two factors, neither of which is too small for a normal float. */
static INLINE void mxfp4(struct column *column, const unsigned char *b, int64_t stride)
{
    ivec e = i_and(rows_word(b, stride), i_set(255)), half = i_shift_right(e, 1), q[4];
    vec d = v_mul(power_of(half), v_set(TOP)), rest = power_of(i_sub(e, half));

    sixteen_bytes(q, b + 1, stride);
    UNROLL
    for (int i = 0; i < 8; i++) {
        ivec four = e2m1_values(q, i);

        UNROLL
        for (int k = 0; k < 4; k++)
            put(column, v_mul(v_mul(byte_at(four, k), d), rest));
    }
}

/* ---- 256 elements, 32 at a time ---- */

/* scale[i] = byte i of every row, times factor. */
static INLINE void scales_of(vec *scale, const ivec *four, int n, vec factor)
{
    for (int i = 0; i < n; i++)
        scale[i] = v_mul(byte_at(four[i / 4], i % 4), factor);
}

static INLINE void q2_k(struct column *column, const unsigned char *b, int64_t stride)
{
    ivec s[4], low[4], q[8];
    vec scale[16], add[16];

    sixteen_bytes(s, b, stride);
    for (int i = 0; i < 4; i++) {
        low[i] = bits_of(s[i], 0, 15);
        s[i] = bits_of(s[i], 4, 15);
    }
    scales_of(scale, low, 16, v_mul(rows_half(b + 80, stride), v_set(TOP * TOP)));
    scales_of(add, s, 16, v_mul(rows_half(b + 82, stride), v_set(-TOP)));
    for (int half = 0; half < 2; half++) {
        thirty_two_bytes(q, b + 16 + 32 * half, stride);
        for (int k = 0; k < 4; k++)
            UNROLL
            for (int i = 0; i < 8; i++) {
                int group = 8 * half + 2 * k + i / 4;

                put_sums(column, bits_of(q[i], 2 * k, 3), scale[group], add[group]);
            }
    }
}

static INLINE void q3_k(struct column *column, const unsigned char *b, int64_t stride)
{
    ivec low[2] = { rows_word(b + 96, stride), rows_word(b + 100, stride) };
    ivec upper = rows_word(b + 104, stride), high[8], q[8], s[4];
    vec scale[16];

    for (int i = 0; i < 4; i++)
        s[i] = i_sub_bytes(i_or(bits_of(low[i % 2], i / 2 * 4, 15),
                                i_shift_left(bits_of(upper, 2 * i, 3), 4)), 32);
    scales_of(scale, s, 16, v_mul(rows_half(b + 108, stride), v_set(TOP * TOP)));
    thirty_two_bytes(high, b, stride);
    for (int half = 0; half < 2; half++) {
        thirty_two_bytes(q, b + 32 + 32 * half, stride);
        for (int k = 0; k < 4; k++)
            UNROLL
            for (int i = 0; i < 8; i++) {
                ivec bits = i_or(bits_of(q[i], 2 * k, 3),
                                 i_shift_left(bits_of(high[i], 4 * half + k, 1), 2));

                put_products(column, i_sub_bytes(bits, 4),
                                      scale[8 * half + 2 * k + i / 4]);
            }
    }
}

/* Scales, and minima below 0, of Q4_K and Q5_K. */
static INLINE void k_scales(vec scale[8], vec add[8], const unsigned char *b, int64_t stride)
{
    ivec word[4], s[2], min[2];

    sixteen_bytes(word, b, stride);
    s[0] = bits_of(word[1], 0, 63);
    min[0] = bits_of(word[2], 0, 63);
    s[1] = i_or(bits_of(word[3], 0, 15), bits_of(word[1], 2, 48));
    min[1] = i_or(bits_of(word[3], 4, 15), bits_of(word[2], 2, 48));
    scales_of(scale, s, 8, v_mul(v_of_halves(word[0]), v_set(TOP * TOP)));
    scales_of(add, min, 8, v_mul(v_of_halves(i_shift_right(word[0], 16)), v_set(-TOP)));
}

static INLINE void q4_k(struct column *column, const unsigned char *b, int64_t stride)
{
    vec scale[8], add[8];
    ivec q[8];

    k_scales(scale, add, b, stride);
    for (int k = 0; k < 8; k += 2) {
        thirty_two_bytes(q, b + 16 + 16 * k, stride);
        for (int half = 0; half < 2; half++)
            UNROLL
            for (int i = 0; i < 8; i++)
                put_sums(column, bits_of(q[i], 4 * half, 15), scale[k + half],
                                  add[k + half]);
    }
}

static INLINE void q5_k(struct column *column, const unsigned char *b, int64_t stride)
{
    vec scale[8], add[8];
    ivec high[8], q[8];

    k_scales(scale, add, b, stride);
    thirty_two_bytes(high, b + 16, stride);
    for (int k = 0; k < 8; k += 2) {
        thirty_two_bytes(q, b + 48 + 16 * k, stride);
        for (int half = 0; half < 2; half++)
            UNROLL
            for (int i = 0; i < 8; i++)
                put_sums(column, i_or(bits_of(q[i], 4 * half, 15),
                                              i_shift_left(bits_of(high[i], k + half, 1), 4)),
                                  scale[k + half], add[k + half]);
    }
}

static INLINE void q6_k(struct column *column, const unsigned char *b, int64_t stride)
{
    ivec s[4], high[8], q[8];
    vec scale[16];

    sixteen_bytes(s, b + 192, stride);
    scales_of(scale, s, 16, v_mul(rows_half(b + 208, stride), v_set(TOP * TOP)));
    for (int half = 0; half < 2; half++) {
        thirty_two_bytes(high, b + 128 + 32 * half, stride);
        for (int k = 0; k < 4; k++) {
            thirty_two_bytes(q, b + 64 * half + k % 2 * 32, stride);
            UNROLL
            for (int i = 0; i < 8; i++) {
                ivec bits = i_or(bits_of(q[i], k / 2 * 4, 15),
                                 i_shift_left(bits_of(high[i], 2 * k, 3), 4));

                put_products(column, i_sub_bytes(bits, 32),
                                      scale[8 * half + 2 * k + i / 4]);
            }
        }
    }
}

static INLINE void iq4_xs(struct column *column, const unsigned char *b, int64_t stride)
{
    ivec head = rows_word(b, stride), low = rows_word(b + 4, stride), q[4];
    vec d = v_mul(v_of_halves(head), v_set(TOP));

    for (int k = 0; k < 8; k++) {
        ivec upper = i_and(i_shift_right(head, 16 + 2 * k), i_set(3));
        ivec bits = i_or(i_and(i_shift_right(low, 4 * k), i_set(15)), i_shift_left(upper, 4));
        vec scale = v_mul(d, v_of_ints(i_sub(bits, i_set(32))));

        sixteen_bytes(q, b + 8 + 16 * k, stride);
        UNROLL
        for (int i = 0; i < 8; i++)
            put_products(column, iq4_values(q, i), scale);
    }
}

/* ---- panels ---- */

/* WIDTH rows at a time, from the first element to the last. */
#define BLOCKS(name, type, n_elements, size_bytes)                                      \
    static void pack_##type(float *panel, int width, const unsigned char *data,         \
                            int64_t stride, int K)                                      \
    {                                                                                   \
        for (int row = 0; row < width; row += WIDTH) {                                  \
            const unsigned char *block = data + row * stride;                           \
            struct column column = { .at = panel + row, .step = width };                \
                                                                                        \
            for (int k = 0; k < K; k += (n_elements), block += (size_bytes))            \
                type(&column, block, stride);                                           \
        }                                                                               \
    }
BLOCKS(F16, f16, 8, 16)
BLOCKS(BF16, bf16, 8, 16)
#include "base/blocks.def"
#undef BLOCKS

/* ---- products with one row ---- */

/* What the next panel needs comes from memory meanwhile: no stream of 32 rows is foreseen. */
static INLINE void fetch(const unsigned char *ahead, int n_bytes)
{
    for (int i = 0; i < n_bytes; i += 64)
        __builtin_prefetch(ahead + i, 0, 2);
}

/*
 * A block of all PANEL rows at a time.  The sums of WIDTH rows wait for each other; those
 * of the next rows run beside them.
 */
#define BLOCKS(name, type, n_elements, size_bytes)                                      \
    static void dot_##type(float *y, const float *x, const unsigned char *data,         \
                           int64_t stride, int K)                                       \
    {                                                                                   \
        const unsigned char *ahead = data + PANEL * stride;                             \
                                                                                        \
        memset(y, 0, PANEL * sizeof *y);                                                \
        for (int k = 0; k < K; k += (n_elements), data += (size_bytes))                 \
            for (int i = 0; i < PANEL; i += WIDTH) {                                    \
                struct column column = { .is_sum = true, .x = x + k };                  \
                                                                                        \
                column.sum = v_load(y + i);                                             \
                fetch(ahead, WIDTH * (size_bytes));                                     \
                ahead += WIDTH * (size_bytes);                                          \
                type(&column, data + i * stride, stride);                               \
                v_store(y + i, column.sum);                                             \
            }                                                                           \
    }
#include "base/blocks.def"
#undef BLOCKS

enum {
    ABREAST = 16,               /* rows: of more, not each would be a stream that is foreseen */
    AHEAD = 2                   /* of them in a stream that is fetched: memory gives more in
                                   several streams than in one */
};

/* Of the next ABREAST rows, as many bytes as a vector of each. */
static INLINE void fetch_abreast(const unsigned char *ahead, int64_t stride)
{
    for (int i = 0; i < ABREAST; i += AHEAD)
        fetch(ahead + i * stride, AHEAD * 4 * WIDTH);
}

/* The bytes of a row before a multiple of a vector's: a vector that reaches into two lines of the
   cache takes both, and of rows a power of two apart the second is gone when its turn comes. */
static inline int64_t bytes_before_vector(const unsigned char *data, int64_t bytes)
{
    int64_t before = -(uintptr_t)data % (4 * WIDTH);

    return before % 4 == 0 && before <= bytes ? before : 0;
}

/* The same of elements that are numbers by themselves, in as many bytes at a time as a vector
   has; those before and after, 16 at a time. */
#define NUMBERS(name, type, size)                                                       \
    static INLINE void put_##type(struct column column[ABREAST / WIDTH],                \
                                  const unsigned char *data, int64_t stride,            \
                                  int first, int end)                                   \
    {                                                                                   \
        UNROLL                                                                          \
        for (int i = 0; i < ABREAST / WIDTH; i++)                                       \
            put_words(&column[i], data + i * WIDTH * stride, stride, ELEMENT_##name,    \
                      first, end);                                                      \
    }                                                                                   \
                                                                                        \
    static void dot_##type(float *y, const float *x, const unsigned char *data,         \
                           int64_t stride, int K)                                       \
    {                                                                                   \
        int64_t bytes = (int64_t)K * (size);                                            \
                                                                                        \
        for (int n = 0; n < PANEL; n += ABREAST, data += ABREAST * stride) {            \
            struct column column[ABREAST / WIDTH];                                      \
            const unsigned char *ahead = data + ABREAST * stride;                       \
            int64_t before = bytes_before_vector(data, bytes), at = before % 16;        \
                                                                                        \
            for (int i = 0; i < ABREAST / WIDTH; i++)                                   \
                column[i] = (struct column){ .is_sum = true, .x = x };                  \
            if (at > 0)                                                                 \
                put_##type(column, data, stride, 0, (int)at / 4);                       \
            for (; at < before; at += 16)                                               \
                put_##type(column, data + at, stride, 0, 4);                            \
            for (; at + 4 * WIDTH <= bytes; at += 4 * WIDTH) {                          \
                fetch_abreast(ahead + AHEAD * at, stride);                              \
                UNROLL                                                                  \
                for (int i = 0; i < ABREAST / WIDTH; i++)                               \
                    put_many_bytes(&column[i], data + i * WIDTH * stride + at, stride,  \
                                   ELEMENT_##name);                                     \
            }                                                                           \
            for (; at + 16 <= bytes; at += 16)                                          \
                put_##type(column, data + at, stride, 0, 4);                            \
            if (at < bytes)                                                             \
                put_##type(column, data + bytes - 16, stride, (int)(16 - bytes + at) / 4, 4); \
            for (int i = 0; i < ABREAST / WIDTH; i++)                                   \
                v_store(y + n + i * WIDTH, column[i].sum);                              \
        }                                                                               \
    }
NUMBERS(F32, f32, 4)
NUMBERS(F16, f16, 2)
NUMBERS(BF16, bf16, 2)
#undef NUMBERS

/* ---- one row times stored columns ---- */

enum { ROWS_TOGETHER = 8 };     /* rows added to an element of y while it is in a register */

static INLINE void add_rows(float *y, const float *x, const float *w, int64_t stride, int n,
                            const int rows)
{
    int c = 0;

    for (; c + WIDTH <= n; c += WIDTH) {
        vec sum = v_load_any(y + c);

        UNROLL
        for (int k = 0; k < rows; k++)
            sum = v_fma(v_set(x[k]), v_load_any(w + k * stride + c), sum);
        v_store_any(y + c, sum);
    }
    for (; c < n; c++)
        for (int k = 0; k < rows; k++)
            y[c] = __builtin_fmaf(x[k], w[k * stride + c], y[c]);
}

enum { COLUMNS = 4, ROWS_AHEAD = 16 };  /* vectors of sums; rows that are fetched ahead */

/* The sums of a few columns stay in registers, and each row is read once, in its order. */
static INLINE void few_columns(float *y, const float *x, const float *w, int64_t stride, int K)
{
    vec sum[COLUMNS];

    UNROLL
    for (int i = 0; i < COLUMNS; i++)
        sum[i] = v_set(0);
    for (int k = 0; k < K; k++, w += stride)
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            __builtin_prefetch(w + ROWS_AHEAD * stride + i * WIDTH, 0, 2);
            sum[i] = v_fma(v_set(x[k]), v_load_any(w + i * WIDTH), sum[i]);
        }
    UNROLL
    for (int i = 0; i < COLUMNS; i++)
        v_store_any(y + i * WIDTH, sum[i]);
}

static void columns(float *y, const float *x, const float *w, int64_t stride, int n, int K)
{
    int k = 0;

    if (n <= 4 * COLUMNS * WIDTH)
        for (; n >= COLUMNS * WIDTH; n -= COLUMNS * WIDTH) {
            few_columns(y, x, w, stride, K);
            y += COLUMNS * WIDTH;
            w += COLUMNS * WIDTH;
        }
    memset(y, 0, (size_t)n * sizeof *y);
    for (; n > 0 && k + ROWS_TOGETHER <= K; k += ROWS_TOGETHER)
        add_rows(y, x + k, w + k * stride, stride, n, ROWS_TOGETHER);
    for (; n > 0 && k < K; k++)
        add_rows(y, x + k, w + k * stride, stride, n, 1);
}

#endif
