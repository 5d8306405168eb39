/* SPDX-License-Identifier: MIT
 * The two 16-bit floats, and one of 8 bits, as bit patterns. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/*
 * IEEE 754 binary16, subnormals, infinities and NaN included; exact.  Without branches, so that
 * compilers use vectors: its exponent begins 112 below that of a float.
 */
static inline float half_to_float(uint16_t h)
{
    uint32_t size = (uint32_t)(h & 0x7fffu) << 13, bits;
    float f = float_of_bits(size) * 0x1p112f;

    memcpy(&bits, &f, sizeof bits);
    bits |= size >= 0x7c00u << 13 ? 0x7f800000u : 0;
    return float_of_bits(bits | (uint32_t)(h & 0x8000u) << 16);
}

/*
 * OCP E4M3: 4 bits of exponent, 3 of mantissa, subnormals included; exact.  It has no
 * infinities: all ones is NaN.
 */
static inline float f8_e4m3_to_float(uint8_t v)
{
    uint32_t size = v & 0x7fu, bits;
    float f = float_of_bits(size << 20) * 0x1p120f;

    memcpy(&bits, &f, sizeof bits);
    bits = size == 0x7f ? 0x7fc00000u : bits;
    return float_of_bits(bits | (uint32_t)(v & 0x80u) << 24);
}

/* bfloat16: the upper half of a float; exact. */
static inline float bf16_to_float(uint16_t h)
{
    return float_of_bits((uint32_t)h << 16);
}

/* The nearest bfloat16, ties to even; NaN remains NaN. */
static inline float bf16_round(float f)
{
    uint32_t bits;

    if (isnan(f))
        return f;
    memcpy(&bits, &f, sizeof bits);
    bits += 0x7fffu + (bits >> 16 & 1);
    return float_of_bits(bits & 0xffff0000u);
}

/*
 * The nearest binary16, ties to even; infinite from 65520 on; NaN remains NaN.  Adding and
 * subtracting a number whose last bit is the last to be kept rounds as the processor rounds:
 * 11 bits down to 2^-14, multiples of 2^-24 below.
 */
static inline float half_round(float f)
{
    float size = fabsf(f), grid;
    int exponent;

    if (isnan(f))
        return f;
    if (size >= 65520.0f)
        return copysignf(INFINITY, f);
    (void)frexpf(f, &exponent);
    grid = ldexpf(1.5f, (exponent < -13 ? -13 : exponent) + 12);
    return copysignf(size + grid - grid, f);
}

/*
 * The bits of half_round's result; NaN is 0x7e00.  The last bit of 0.5 has the value of the
 * smallest binary16: adding 0.5 rounds numbers below 2^-14.
 */
static inline uint16_t half_bits(float f)
{
    const float half = 0.5f;
    uint32_t bits, sign, last;
    float size = fabsf(f);

    memcpy(&bits, &f, sizeof bits);
    sign = bits >> 16 & 0x8000u;
    if (!(size < 65520.0f))
        return (uint16_t)(isnan(f) ? 0x7e00u : sign | 0x7c00u);
    if (size < 0x1p-14f) {
        size += half;
        memcpy(&bits, &size, sizeof bits);
        memcpy(&last, &half, sizeof last);
        return (uint16_t)(sign | (bits - last));
    }
    bits &= 0x7fffffffu;
    bits += 0xfffu + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits >> 13) - (112u << 10)));
}

#endif
