/* SPDX-License-Identifier: MIT
 * The two 16-bit floats, as bit patterns. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* IEEE 754 binary16, subnormals, infinities and NaN included; exact. */
static inline float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t exponent = h >> 10 & 0x1fu, fraction = h & 0x3ffu;

    if (exponent == 0x1f)
        return float_of_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        float f = (float)fraction * 0x1p-24f;

        return sign != 0 ? -f : f;
    }
    return float_of_bits(sign | (exponent + 112u) << 23 | fraction << 13);
}

/* bfloat16: the upper half of a float; exact. */
static inline float bf16_to_float(uint16_t h)
{
    return float_of_bits((uint32_t)h << 16);
}

#endif
