/* SPDX-License-Identifier: MIT
 *
 * Elementary functions that give the same bits on every processor and with every C
 * library: only + - * / and operations on bits, in one order.  Those of a C library do not:
 * glibc has several of each and takes one by the processor that it finds.
 *
 * Errors are in ulp: the distance, where the result lies, of two numbers of its type.  A
 * test asserts them.  NaN gives NaN; infinities, zeros and their signs and what is too
 * large or too small are as in C11's annex F. */
#ifndef BASE_ELEMENTARY_H
#define BASE_ELEMENTARY_H

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

#endif
