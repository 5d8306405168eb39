/* SPDX-License-Identifier: MIT
 *
 * Fixed-point numbers with 64 fractional bits: sums do not round, so their order does not matter.
 * */
#ifndef ANALYSIS_FIXED_H
#define ANALYSIS_FIXED_H

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* whole + part 2^-64 */
struct fixed {
    int64_t whole;
    uint64_t part;
};

static inline struct fixed fixed_negative(struct fixed x)
{
    return (struct fixed){ (int64_t)(~(uint64_t)x.whole + (x.part == 0)), ~x.part + 1 };
}

/* x 2^shift, truncated, modulo 2^64; shift of either sign. */
static inline uint64_t fixed_shift(uint64_t x, int shift)
{
    return shift >= 64 || shift <= -64 ? 0 : shift >= 0 ? x << shift : x >> -shift;
}

/* The binary digits of |x|; the last has the value 2^place. */
static inline uint64_t fixed_digits(double x, int *place)
{
    uint64_t bits, one = UINT64_C(1) << 52;

    memcpy(&bits, &x, sizeof bits);
    *place = (int)(bits >> 52 & 0x7ff) - 1075;
    return (bits & (one - 1)) | one;    /* below the normal numbers all are below 2^-128 */
}

/* The number x, |x| < 2^62 (asserted); digits below 2^-64 are cut off. */
static inline struct fixed fixed_of(double x)
{
    int place;
    uint64_t digits = fixed_digits(x, &place);
    struct fixed fixed = { (int64_t)fixed_shift(digits, place), fixed_shift(digits, place + 64) };

    assert(fabs(x) < 0x1p62);
    return x < 0 ? fixed_negative(fixed) : fixed;
}

/* The part of x >= 0 that fixed_of cuts off, in units of 2^-64; digits below 2^-128 are cut off. */
static inline struct fixed fixed_rest(double x)
{
    int place;
    uint64_t digits = fixed_digits(x, &place);

    return (struct fixed){ 0, fixed_shift(digits, place + 128) };
}

/* A sum that grows beyond 2^63 wraps around. */
static inline void fixed_add(struct fixed *sum, struct fixed x)
{
    sum->part += x.part;
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)x.whole + (sum->part < x.part));
}

static inline double fixed_real(struct fixed x)
{
    if (x.whole < 0)
        return -fixed_real(fixed_negative(x));
    return (double)x.whole + (double)x.part * 0x1p-64;
}

#endif
