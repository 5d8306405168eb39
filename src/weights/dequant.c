/* SPDX-License-Identifier: MIT
 *
 * Blocks of quantised weights -> floats, operation by operation as the gguf
 * package's dequantize does it, so that the floats are the same to the last bit.
 *
 * A block holds 32 elements, or 256 in the K and XS types, and its scales; the
 * layout of each type stands above its function.  f16 d, m: scale and minimum.
 * "nibbles 16": byte j holds element j in its low half and element 16 + j in its
 * high one.  "planes 2x32": element i = 32 p + j has bits 2p and 2p + 1 of byte j. */
#include "base/half.h"
#include "weights/weights_priv.h"

static float half_at(const unsigned char *p)
{
    return half_to_float((uint16_t)bytes_get(p, 2));
}

static int nibble(const unsigned char *q, int i, int n)
{
    return i < n ? q[i] & 15 : q[i - n] >> 4;
}

/* ---- 32 elements ---- */

/* d 2, q 16 (nibbles 16): d (q - 8) */
static void q4_0(float *out, const unsigned char *b)
{
    float d = half_at(b);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)(nibble(b + 2, i, 16) - 8);
}

/* d 2, m 2, q 16 (nibbles 16): d q + m */
static void q4_1(float *out, const unsigned char *b)
{
    float d = half_at(b), m = half_at(b + 2);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)nibble(b + 4, i, 16) + m;
}

static int five_bits(const unsigned char *high, const unsigned char *q, int i)
{
    return nibble(q, i, 16) | (high[i / 8] >> (i % 8) & 1) << 4;
}

/* d 2, fifth bits 4, q 16 (nibbles 16): d (q - 16) */
static void q5_0(float *out, const unsigned char *b)
{
    float d = half_at(b);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)(five_bits(b + 2, b + 6, i) - 16);
}

/* d 2, m 2, fifth bits 4, q 16 (nibbles 16): d q + m */
static void q5_1(float *out, const unsigned char *b)
{
    float d = half_at(b), m = half_at(b + 2);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)five_bits(b + 4, b + 8, i) + m;
}

/* d 2, q 32 (signed): d q */
static void q8_0(float *out, const unsigned char *b)
{
    float d = half_at(b);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)(int8_t)b[2 + i];
}

/* The sixteen values of the IQ4 types (ggml-common.h, kvalues_iq4nl). */
static const signed char iq4_value[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
};

/* d 2, q 16 (nibbles 16): d value[q] */
static void iq4_nl(float *out, const unsigned char *b)
{
    float d = half_at(b);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)iq4_value[nibble(b + 2, i, 16)];
}

/* Twice the floats of 4 bits. */
static const signed char e2m1_value[16] = { 0, 1, 2, 3, 4, 6, 8, 12,
                                            0, -1, -2, -3, -4, -6, -8, -12 };

/* exponent e 1, q 16 (nibbles 16): 2^(e - 128) value[q] */
static void mxfp4(float *out, const unsigned char *b)
{
    float d = float_of_bits(b[0] < 2 ? 0x200000u << b[0] : (uint32_t)(b[0] - 1) << 23);

    for (int i = 0; i < 32; i++)
        out[i] = d * (float)e2m1_value[nibble(b + 1, i, 16)];
}

/* ---- 256 elements ---- */

/* scale and minimum 16 x 4 bits each, q 64 (2 x planes 2x32), d 2, m 2:
 * (d scale) q - m minimum, 16 elements a scale */
static void q2_k(float *out, const unsigned char *b)
{
    const unsigned char *q = b + 16;
    float d = half_at(b + 80), m = half_at(b + 82);

    for (int i = 0; i < 256; i++) {
        float scale = d * (float)(b[i / 16] & 15), min = m * (float)(b[i / 16] >> 4);

        out[i] = scale * (float)(q[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3) - min;
    }
}

/* third bits 32 (planes 1x32), q 64 (2 x planes 2x32), scales 12 (low halves:
 * nibbles 8; upper two bits: planes 2x4), d 2: (d (scale - 32)) (q - 4) */
static void q3_k(float *out, const unsigned char *b)
{
    const unsigned char *q = b + 32, *s = b + 96;
    float d = half_at(b + 108), scale[16];

    for (int k = 0; k < 16; k++)
        scale[k] = d * (float)((nibble(s, k, 8) | (s[8 + k % 4] >> k / 4 * 2 & 3) << 4) -
                               32);
    for (int i = 0; i < 256; i++) {
        int low = q[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3;
        int high = b[i % 32] >> i / 32 & 1;

        out[i] = scale[i / 16] * (float)((low | high << 2) - 4);
    }
}

/* Scales and minima of Q4_K and Q5_K, 8 x 6 bits each in 12 bytes: the first four
 * of each in the low six bits of bytes 0-3 and 4-7, the others in the halves of
 * bytes 8-11 with their upper two bits on top of bytes 0-7. */
static void k_scales(float *scale, float *min, const unsigned char *b)
{
    const unsigned char *s = b + 4;
    float d = half_at(b), m = half_at(b + 2);

    for (int k = 0; k < 4; k++) {
        scale[k] = d * (float)(s[k] & 63);
        min[k] = m * (float)(s[4 + k] & 63);
        scale[4 + k] = d * (float)((s[8 + k] & 15) | (s[k] >> 2 & 48));
        min[4 + k] = m * (float)(s[8 + k] >> 4 | (s[4 + k] >> 2 & 48));
    }
}

/* d 2, m 2, scales 12, q 128 (4 x nibbles 32): scale q - min */
static void q4_k(float *out, const unsigned char *b)
{
    const unsigned char *q = b + 16;
    float scale[8], min[8];

    k_scales(scale, min, b);
    for (int i = 0; i < 256; i++)
        out[i] = scale[i / 32] * (float)nibble(q + i / 64 * 32, i % 64, 32) -
                 min[i / 32];
}

/* d 2, m 2, scales 12, fifth bits 32 (planes 1x32), q 128 (4 x nibbles 32) */
static void q5_k(float *out, const unsigned char *b)
{
    const unsigned char *high = b + 16, *q = b + 48;
    float scale[8], min[8];

    k_scales(scale, min, b);
    for (int i = 0; i < 256; i++) {
        int value = nibble(q + i / 64 * 32, i % 64, 32) | (high[i % 32] >> i / 32 & 1)
                                                              << 4;

        out[i] = scale[i / 32] * (float)value - min[i / 32];
    }
}

/* low 128 (2 x nibbles 64), upper two bits 64 (2 x planes 2x32), scales 16
 * (signed), d 2: (d scale) (q - 32), 16 elements a scale */
static void q6_k(float *out, const unsigned char *b)
{
    const unsigned char *high = b + 128, *s = b + 192;
    float d = half_at(b + 208);

    for (int i = 0; i < 256; i++) {
        int value = nibble(b + i / 128 * 64, i % 128, 64) |
                    (high[i / 128 * 32 + i % 32] >> i / 32 % 4 * 2 & 3) << 4;

        out[i] = d * (float)(int8_t)s[i / 16] * (float)(value - 32);
    }
}

/* d 2, upper two bits of eight scales 2, their lower four 4, q 128 (8 x nibbles
 * 16): (d (scale - 32)) value[q] */
static void iq4_xs(float *out, const unsigned char *b)
{
    const unsigned char *q = b + 8;
    float d = half_at(b);
    int high = (int)bytes_get(b + 2, 2);

    for (int k = 0; k < 8; k++) {
        int low = b[4 + k / 2] >> k % 2 * 4 & 15;
        float scale = d * (float)((low | (high >> 2 * k & 3) << 4) - 32);

        for (int i = 0; i < 32; i++)
            out[32 * k + i] = scale * (float)iq4_value[nibble(q + 16 * k, i, 16)];
    }
}

#define BLOCKS(name, type, n_elements, size_bytes)                              \
    void dequant_##type(float *out, const unsigned char *data, int64_t n)       \
    {                                                                           \
        for (int64_t i = 0; i < n; i += (n_elements), data += (size_bytes))     \
            type(out + i, data);                                                \
    }
#include "base/blocks.def"
#undef BLOCKS
