/* SPDX-License-Identifier: MIT
 *
 * Vectors of 512 bits, and loads and stores of their first elements, for the files of products. */
#ifndef NN_SIMD_512_H
#define NN_SIMD_512_H

#include <immintrin.h>
#include <stdbool.h>

#include "nn/unroll.h"

#define INLINE inline __attribute__((always_inline))

enum { WIDTH = 16 };

/* The first n elements; n may be negative or beyond WIDTH. */
static inline __mmask16 first_of(int n)
{
    if (n <= 0)
        return 0;
    return (__mmask16)(n >= WIDTH ? 0xffffu : (1u << n) - 1);
}

/* whole: n is WIDTH or more; a constant wherever it is inlined. */
static INLINE __m512 load(const float *p, int n, const bool whole)
{
    return whole ? _mm512_loadu_ps(p) : _mm512_maskz_loadu_ps(first_of(n), p);
}

static INLINE void store(float *p, __m512 v, int n, const bool whole)
{
    if (whole)
        _mm512_storeu_ps(p, v);
    else
        _mm512_mask_storeu_ps(p, first_of(n), v);
}

#endif
