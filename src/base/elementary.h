/* SPDX-License-Identifier: MIT
 *
 * Elementary functions that give the same bits on every processor and with every C
 * library: only + - * / and operations on bits, in one order.  Those of a C library do not:
 * glibc has several versions of each and chooses one by the processor.
 *
 * Errors are in ulp, the distance of adjacent numbers at the result.  A test asserts them.  NaN
 * gives NaN; infinities, zeros and their signs, overflow and underflow are as in C11's annex F. */
#ifndef BASE_ELEMENTARY_H
#define BASE_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

/* ---- double: within 0.53 ulp, and 1 ulp where the result is below the normal numbers ---- */

double elementary_exp(double x);
double elementary_log(double x);
double elementary_log1p(double x);      /* ln(1 + x) */
double elementary_tanh(double x);

/* x^y for x >= 0; for x < 0 NaN, unlike C, even if y is a whole number. */
double elementary_pow(double x, double y);

/* ---- double: within 0.85 ulp; x in radians, of any size ---- */

double elementary_sin(double x);
double elementary_cos(double x);

/* ---- float, computed in double: within 0.501 ulp ---- */

float elementary_expf(float x);
float elementary_logf(float x);
float elementary_tanhf(float x);
float elementary_erfcf(float x);        /* 1 - erf(x) */

/* ---- double: within 3 ulp, for normal x > 0 alone; not NaN, not infinite ---- */

/*
 * ln x without a table or a branch, so that compilers make vectors of a loop over it:
 * x = 2^k z, sqrt(1/2) <= z < sqrt(2), and ln z = 2 artanh s, s = (z - 1) / (z + 1).  Of that
 * 2 s + s^3 P(s^2) is within 2^-58 s, the least that any polynomial P of degree 6 is (Remez).
 */
static inline double elementary_log_plain(double x)
{
    const uint64_t least = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(1) << 52;   /* sqrt(1/2) */
    uint64_t bits;
    double k, z, s, square, rest;

    memcpy(&bits, &x, sizeof bits);
    bits -= least;
    /* k + 1024 as the last bits of a number of 2^52 and more. */
    uint64_t k_bits = ((bits + 1024 * one) >> 52) + 1075 * one;
    uint64_t z_bits = (bits & (one - 1)) + least;

    memcpy(&k, &k_bits, sizeof k);
    memcpy(&z, &z_bits, sizeof z);
    k -= 0x1p52 + 1024;
    s = (z - 1) / (z + 1);
    square = s * s;
    rest = 0x1.74663ee6dcc78p-3 + square * (0x1.39a1bae377b21p-3 + square * 0x1.2f0561aba4095p-3);
    rest = 0x1.24924941f11e3p-2 + square * (0x1.c71c520963d08p-3 + square * rest);
    rest = 0x1.5555555555592p-1 + square * (0x1.999999997fdb8p-2 + square * rest);
    return k * 0x1.62e42fefa39efp-1 + (2 * s + s * (square * rest));
}

#endif
