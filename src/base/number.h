/* SPDX-License-Identifier: MIT
 * Numbers as text. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/*
 * The first of %.15g, %.16g, %.17g (%.6g to %.9g for a float) that reads back as
 * the same number; numbers below the normal range start at one digit.  Finite
 * ones only; returns the length.
 */
enum { NUMBER_SIZE = 32 };
int number_double(char dst[NUMBER_SIZE], double v);
int number_float(char dst[NUMBER_SIZE], float v);
/* In decimal; the same otherwise. */
int number_int(char dst[NUMBER_SIZE], int64_t v);

#endif
