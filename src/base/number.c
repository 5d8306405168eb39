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

static uint64_t power(uint64_t base, int n)
{
    uint64_t p = 1;

    while (n-- > 0)
        p *= base;
    return p;
}

/*
 * mantissa * 2^exponent * 10^k, rounded half to even, for 0 <= k <= 20 and
 * exponent + k < 0.  *same: it reads back as the same number.
 */
static uint64_t times_ten(uint64_t mantissa, int exponent, int k, bool *same)
{
    __extension__ unsigned __int128 value = mantissa, unit = 1, rest;
    uint64_t five = power(5, k), whole;

    value *= five;
    unit <<= -(exponent + k);
    whole = (uint64_t)(value >> -(exponent + k));
    rest = value & (unit - 1);
    if (2 * rest > unit || (2 * rest == unit && whole % 2 == 1)) {
        whole++;
        rest = unit - rest;
    }
    *same = 2 * rest < five || (2 * rest == five && mantissa % 2 == 0);
    return whole;
}

/*
 * What the loops below would find, exactly and many times as fast, for numbers that
 * %g writes without an exponent: weights and their means are such.  0: it is none.
 */
static int plain(char *dst, double v, int bits, int least, int most)
{
    double size = fabs(v);
    int exponent, x;
    uint64_t mantissa;

    if (!(size >= 1e-4 && size < 1e15))
        return 0;
    mantissa = (uint64_t)ldexp(frexp(size, &exponent), bits);
    exponent -= bits;
    x = (int)floor(log10(size));
    /* The neighbours of a power of two do not lie evenly. */
    if (mantissa == power(2, bits - 1))
        return 0;
    for (int count = least; count <= most; count++) {
        int k = count - 1 - x;
        uint64_t digits;
        bool same;

        if (k < 0 || exponent + k >= 0)
            return 0;
        digits = times_ten(mantissa, exponent, k, &same);
        if (digits < power(10, count - 1) || digits >= power(10, count))
            return 0;                       /* x is off by one */
        if (same || count == most)
            return set_digits(dst, v < 0, digits, count, x);
    }
    return 0;
}

int number_double(char dst[NUMBER_SIZE], double v)
{
    /* Up to DBL_DIG digits survive the way there and back, but not below the
     * normal range, where a number may need only one. */
    int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG;
    int count = plain(dst, v, DBL_MANT_DIG, DBL_DIG, DBL_DECIMAL_DIG);

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
    int count = plain(dst, (double)v, FLT_MANT_DIG, FLT_DIG, FLT_DECIMAL_DIG);

    if (count > 0)
        return count;
    do
        count = snprintf(dst, NUMBER_SIZE, "%.*g", digits, (double)v);
    while (digits++ < FLT_DECIMAL_DIG && strtof(dst, NULL) != v);
    return count;
}
