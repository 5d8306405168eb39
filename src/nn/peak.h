/* SPDX-License-Identifier: MIT
 *
 * What a processor can do at most: loops that do nothing but multiply and add, or read.  They
 * are timed by whoever wants to know how far from it the real work is. */
#ifndef NN_PEAK_H
#define NN_PEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "nn/nn.h"

struct peak_kernels {
    int flop;                   /* of a step: 2 for each multiply and add */
    float (*multiply)(int64_t steps);
    float (*read)(const float *x, int64_t n);
};

extern const struct peak_kernels peak_avx2, peak_avx512, peak_neon;

/* True if this processor has the kernel's vectors. */
bool peak_has(enum kernel k);

/*
 * The flop of so many steps of independent multiplications and additions in registers;
 * *sum is what came of them, so that none can be left out.
 */
int64_t peak_multiply(enum kernel k, int64_t steps, float *sum);

/* Reads n floats, a multiple of 64, aligned to 64 bytes, with the widest loads there are. */
float peak_read(const float *x, int64_t n);

#endif
