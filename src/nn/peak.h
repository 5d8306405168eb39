/* SPDX-License-Identifier: MIT
 *
 * What a processor can do at most: loops that do nothing but multiply and add, or read.  They
 * are timed by whoever wants to know how far from it the real work is. */
#ifndef NN_PEAK_H
#define NN_PEAK_H

#include <stdint.h>

#include "nn/fast.h"
#include "nn/nn.h"

struct peak_kernels {
    int flop;                   /* of a step: 2 for each multiply and add */
    float (*multiply)(int64_t steps);
    float (*read)(const float *x, int64_t n);       /* NULL: as the kernel beside it */
};

extern const struct peak_kernels peak_avx2, peak_avx512, peak_neon;

/* The loops with the kernel's vectors; NULL: this processor does not have them. */
const struct peak_kernels *peak_of(enum kernel k);

/* Those of products in fewer bits; NULL: fast_kernel has nothing. */
const struct peak_kernels *peak_of_fast(enum fast f);

/*
 * The flop of so many steps of independent multiplications and additions in registers;
 * *sum is what came of them, so that none can be left out.
 */
int64_t peak_multiply(const struct peak_kernels *p, int64_t steps, float *sum);

/* Reads n floats, a multiple of 64, aligned to 64 bytes, with the widest loads there are. */
float peak_read(const float *x, int64_t n);

#endif
