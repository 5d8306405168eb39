/* SPDX-License-Identifier: MIT
 *
 * Stored rows -> turned (transposed) rows, and their products with one row x, in vectors: included
 * after simd_stored.h, whose decoders make the words stored here.
 *
 * A panel is TURNED outputs: for each WIDTH of them a stream of vectors, one stream after the
 * other.  Of numbers a vector holds a word of 32 bits of each output: one float, or two numbers of
 * 16 bits.  Of blocks a group of elements that share a scale has the scales, the minima where there
 * are any, and then words of four bytes or of eight halves of a byte: elements 0 to 3 are in the
 * lower halves, 4 to 7 in the upper ones. */
#ifndef NN_SIMD_TURNED_H
#define NN_SIMD_TURNED_H

#include "nn/turned.h"

enum {
    STREAMS = 8,                /* streams read at a time */
    VECTOR = 4 * WIDTH,         /* bytes */
    FAR = 1024                  /* prefetch distance in each stream, in bytes */
};

/* ---- rows are turned ---- */

#define NUMBERS(name, type, size)                                                       \
    static void turn_##type(unsigned char *to, int64_t row, const unsigned char *data,  \
                            int64_t stride, int K)                                      \
    {                                                                                   \
        int64_t bytes = (int64_t)K * (size);                                            \
                                                                                        \
        (void)row;                                                                      \
        for (int n = 0; n < TURNED; n += WIDTH, data += WIDTH * stride) {               \
            int64_t at = 0;                                                             \
                                                                                        \
            for (; at + VECTOR <= bytes; at += VECTOR) {                                \
                ivec four[WIDTH];                                                       \
                                                                                        \
                many_bytes(four, data + at, stride);                                    \
                UNROLL                                                                  \
                for (int i = 0; i < WIDTH; i++, to += VECTOR)                           \
                    i_store(to, four[i]);                                               \
            }                                                                           \
            for (; at < bytes; at += 16) {                                              \
                ivec four[4];                                                           \
                                                                                        \
                sixteen_bytes(four, data + at, stride);                                 \
                for (int i = 0; i < 4; i++, to += VECTOR)                               \
                    i_store(to, four[i]);                                               \
            }                                                                           \
        }                                                                               \
    }
NUMBERS(F32, f32, 4)
NUMBERS(F16, f16, 2)
NUMBERS(BF16, bf16, 2)
#undef NUMBERS

#define BLOCKS(name, type, n_elements, size_bytes) \
    enum { ELEMENTS_##type = (n_elements), BYTES_##type = (size_bytes) };
#include "base/blocks.def"
#undef BLOCKS

#define TURNED_BLOCKS(name, type, shared, bits_of_each, least, adds)                    \
    static void turn_##type(unsigned char *to, int64_t row, const unsigned char *data,  \
                            int64_t stride, int K)                                      \
    {                                                                                   \
        for (int n = 0; n < TURNED; n += WIDTH, to += WIDTH * row) {                    \
            const unsigned char *block = data + n * stride;                             \
            struct column column = { .turned = to, .group = (shared),                   \
                                     .bits = (bits_of_each), .lowest = (least) };       \
                                                                                        \
            for (int k = 0; k < K; k += ELEMENTS_##type, block += BYTES_##type)         \
                type(&column, block, stride);                                           \
        }                                                                               \
    }
#include "nn/turned.def"
#undef TURNED_BLOCKS

/* ---- products with one row ---- */

/* The vector FAR ahead of `at` in its stream of `size` bytes, or in that of the next panels. */
static INLINE int64_t far_ahead(int64_t at, int64_t size)
{
    return at + FAR < size ? at + FAR : at + FAR + (STREAMS - 1) * size;
}

#define NUMBERS(name, type, size)                                                       \
    static void turned_##type(float *y, const float *x, const unsigned char *panel,     \
                              int64_t row, int K)                                       \
    {                                                                                   \
        int64_t stream = WIDTH * row;                                                   \
                                                                                        \
        (void)K;                                                                        \
        for (int n = 0; n < TURNED; n += STREAMS * WIDTH, panel += STREAMS * stream) {  \
            struct column column[STREAMS];                                              \
                                                                                        \
            for (int i = 0; i < STREAMS; i++)                                           \
                column[i] = (struct column){ .is_sum = true, .x = x };                  \
            for (int64_t at = 0; at < stream; at += VECTOR) {                           \
                int64_t ahead = far_ahead(at, stream);                                  \
                                                                                        \
                UNROLL                                                                  \
                for (int i = 0; i < STREAMS; i++) {                                     \
                    __builtin_prefetch(panel + i * stream + ahead, 0, 2);               \
                    column[i].x = x + at / VECTOR * (4 / (size));                       \
                    put_word(&column[i], i_load_any(panel + i * stream + at),           \
                             ELEMENT_##name);                                           \
                }                                                                       \
            }                                                                           \
            for (int i = 0; i < STREAMS; i++)                                           \
                v_store(y + n + i * WIDTH, column[i].sum);                              \
        }                                                                               \
    }
NUMBERS(F32, f32, 4)
NUMBERS(F16, f16, 2)
NUMBERS(BF16, bf16, 2)
#undef NUMBERS

/* add is NULL where there are no minima. */
static INLINE void put_bytes(struct column *column, ivec four, vec scale, const vec *add)
{
    if (add != NULL)
        put_sums(column, four, scale, *add);
    else
        put_products(column, four, scale);
}

/* lowest: -8 or 0, of halves of a byte. */
static INLINE void put_halves(struct column *column, ivec word, int lowest, vec scale,
                              const vec *add)
{
    UNROLL
    for (int i = 0; i < 2; i++) {
        ivec four = bits_of(word, 4 * i, 15);

        put_bytes(column, lowest < 0 ? i_sub_bytes(four, -lowest) : four, scale, add);
    }
}

#define TURNED_BLOCKS(name, type, shared, bits_of_each, least, adds)                    \
    static void turned_##type(float *y, const float *x, const unsigned char *panel,     \
                              int64_t row, int K)                                       \
    {                                                                                   \
        int64_t stream = WIDTH * row;                                                   \
                                                                                        \
        for (int n = 0; n < TURNED; n += STREAMS * WIDTH, panel += STREAMS * stream) {  \
            struct column column[STREAMS];                                              \
            int64_t at = 0;                                                             \
                                                                                        \
            for (int i = 0; i < STREAMS; i++)                                           \
                column[i] = (struct column){ .is_sum = true };                          \
            for (int k = 0; k < K; k += (shared)) {                                     \
                vec scale[STREAMS], add[STREAMS];                                       \
                                                                                        \
                UNROLL                                                                  \
                for (int i = 0; i < STREAMS; i++) {                                     \
                    const unsigned char *from = panel + i * stream + at;                \
                                                                                        \
                    __builtin_prefetch(from + far_ahead(at, stream) - at, 0, 2);        \
                    scale[i] = v_of_bits(i_load_any(from));                             \
                    add[i] = v_of_bits(i_load_any(from + ((adds) ? VECTOR : 0)));       \
                }                                                                       \
                at += ((adds) ? 2 : 1) * VECTOR;                                        \
                for (int j = 0; j < (shared); j += 32 / (bits_of_each), at += VECTOR) { \
                    int64_t ahead = far_ahead(at, stream);                              \
                                                                                        \
                    UNROLL                                                              \
                    for (int i = 0; i < STREAMS; i++) {                                 \
                        ivec word = i_load_any(panel + i * stream + at);                \
                        const vec *min = (adds) ? &add[i] : NULL;                       \
                                                                                        \
                        __builtin_prefetch(panel + i * stream + ahead, 0, 2);           \
                        column[i].x = x + k + j;                                        \
                        if ((bits_of_each) == 4)                                        \
                            put_halves(&column[i], word, (least), scale[i], min);       \
                        else                                                            \
                            put_bytes(&column[i], word, scale[i], min);                 \
                    }                                                                   \
                }                                                                       \
            }                                                                           \
            for (int i = 0; i < STREAMS; i++)                                           \
                v_store(y + n + i * WIDTH, column[i].sum);                              \
        }                                                                               \
    }
#include "nn/turned.def"
#undef TURNED_BLOCKS

#endif
