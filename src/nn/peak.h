/* SPDX-License-Identifier: MIT
 *
 * Peak performance of a processor: loops that only multiply and add, or only read memory, timed for
 * comparison with real work. */
#ifndef NN_PEAK_H
#define NN_PEAK_H

#include <stdint.h>

#include "nn/fast.h"
#include "nn/nn.h"

struct peak_kernels {
    int flop;                   /* per step: 2 for each multiply and add */
    float (*multiply)(int64_t steps);
    float (*read)(const float *x, int64_t n);       /* NULL: that of the ordinary kernel */
};

extern const struct peak_kernels peak_avx2, peak_avx512, peak_neon;

/* The loops with the kernel's vectors; NULL if this processor does not support them. */
const struct peak_kernels *peak_of(enum kernel k);

/* The loops of products in fewer bits; NULL if fast_kernel is. */
const struct peak_kernels *peak_of_fast(enum fast f);

/*
 * Runs so many steps of independent multiplications and additions in registers, and returns their
 * flop; *sum is their result, so that the compiler cannot remove them.
 */
int64_t peak_multiply(const struct peak_kernels *kernels, int64_t steps, float *sum);

/* Reads n floats, a multiple of 64, aligned to 64 bytes, with the widest loads available. */
float peak_read(const float *x, int64_t n);

#endif
