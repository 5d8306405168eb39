/* SPDX-License-Identifier: MIT
 *
 * Numbers -> decimals: as few digits as read back the same.  LC_NUMERIC stays "C":
 * nobody sets it. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* digits[n], the first one in the place of 10^x, as %g sets them for -4 <= x < n. */
static int set_digits(char *dst, bool minus, uint64_t digits, int n, int x)
{
    char all[24], *to = dst;

    for (int i = n - 1; i >= 0; i--, digits /= 10)
        all[i] = (char)('0' + digits % 10);
    while (n > 1 && n > x + 1 && all[n - 1] == '0')
        n--;
    if (minus)
        *to++ = '-';
    if (x < 0) {
        memcpy(to, "0.0000", 6);
        to += 1 - x;
        memcpy(to, all, (size_t)n);
        to += n;
    } else {
        memcpy(to, all, (size_t)x + 1);
        to += x + 1;
        if (n > x + 1) {
            *to++ = '.';
            memcpy(to, all + x + 1, (size_t)(n - x - 1));
            to += n - x - 1;
        }
    }
    *to = '\0';
    return (int)(to - dst);
}

static const uint64_t ten[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
    100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
    10000000000000000, 100000000000000000, 1000000000000000000,
};

static const uint64_t five[] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
    1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625,
    19073486328125, 95367431640625,
};

/* The largest x with 10^x <= size, which lies in [1e-4, 1e15); next to a power of ten it may be
 * off by one. */
static int exponent_of(double size)
{
    int x = -4;

    for (double least = 1e-3; size >= least && x < 14; least *= 10)
        x++;
    return x;
}

/* 128 bits, for not every compiler has such an integer. */
struct wide {
    uint64_t high, low;
};

static struct wide number_multiply(uint64_t x, uint64_t y)
{
    uint64_t low = (x & UINT32_MAX) * (y & UINT32_MAX);
    uint64_t middle = (x >> 32) * (y & UINT32_MAX) + (low >> 32);
    uint64_t other = (x & UINT32_MAX) * (y >> 32) + (middle & UINT32_MAX);

    return (struct wide){ (x >> 32) * (y >> 32) + (middle >> 32) + (other >> 32),
                          other << 32 | (low & UINT32_MAX) };
}

/*
 * mantissa * 2^exponent * 10^k, rounded half to even, for 0 <= k <= 20 and
 * 0 < -(exponent + k) < 64.  *same: it reads back as the same number.
 */
static uint64_t times_ten(uint64_t mantissa, int exponent, int k, bool *same)
{
    int shift = -(exponent + k);
    uint64_t unit = (uint64_t)1 << shift;
    struct wide value = number_multiply(mantissa, five[k]);
    uint64_t whole = value.high << (64 - shift) | value.low >> shift;
    uint64_t rest = value.low & (unit - 1);

    if (rest > unit - rest || (rest == unit - rest && whole % 2 == 1)) {
        whole++;
        rest = unit - rest;
    }
    /* A power of five is odd: rest is never half of it. */
    *same = rest <= five[k] / 2;
    return whole;
}

/*
 * What the loops below would find, exactly and many times as fast, for numbers that
 * %g writes without an exponent: weights and their means are such.  0: it is none.
 *
 * With 10^x <= size < 2^e <= 2 size the shift of times_ten is bits - e - (count - 1 - x): at
 * most bits - least + 1 - 2.3 x, below 49; at least 1, for bits do not hold one digit more than
 * the most.  With the most digits any number reads back, which ends the loop.
 */
static int number_plain(char *dst, double v, int bits, int least)
{
    double size = fabs(v);
    int exponent, x;
    uint64_t mantissa;

    if (!(size >= 1e-4 && size < 1e15))
        return 0;
    mantissa = (uint64_t)(frexp(size, &exponent) * (double)((uint64_t)1 << bits));
    exponent -= bits;
    x = exponent_of(size);
    /* The neighbours of a power of two do not lie evenly; larger ones have an exponent. */
    if (mantissa == (uint64_t)1 << (bits - 1) || x >= least)
        return 0;
    for (int count = least; ; count++) {
        bool same;
        uint64_t digits = times_ten(mantissa, exponent, count - 1 - x, &same);

        if (digits < ten[count - 1] || digits >= ten[count])
            return 0;                       /* x is off by one */
        if (same)
            return set_digits(dst, v < 0, digits, count, x);
    }
}

int number_double(char dst[NUMBER_SIZE], double v)
{
    /* Up to DBL_DIG digits survive the way there and back, but not below the
     * normal range, where a number may need only one. */
    int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG;
    int count = number_plain(dst, v, DBL_MANT_DIG, DBL_DIG);

    if (count > 0)
        return count;
    do
        count = snprintf(dst, NUMBER_SIZE, "%.*g", digits, v);
    while (digits++ < DBL_DECIMAL_DIG && strtod(dst, NULL) != v);
    return count;
}

int number_float(char dst[NUMBER_SIZE], float v)
{
    int digits = fabsf(v) < FLT_MIN ? 1 : FLT_DIG;
    int count = number_plain(dst, (double)v, FLT_MANT_DIG, FLT_DIG);

    if (count > 0)
        return count;
    do
        count = snprintf(dst, NUMBER_SIZE, "%.*g", digits, (double)v);
    while (digits++ < FLT_DECIMAL_DIG && strtof(dst, NULL) != v);
    return count;
}

int number_int(char dst[NUMBER_SIZE], int64_t v)
{
    uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
    char digits[NUMBER_SIZE];
    int at = NUMBER_SIZE, n = 0;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (v < 0)
        dst[n++] = '-';
    memcpy(dst + n, digits + at, (size_t)(NUMBER_SIZE - at));
    n += NUMBER_SIZE - at;
    dst[n] = '\0';
    return n;
}
