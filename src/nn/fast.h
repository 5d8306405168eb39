/* SPDX-License-Identifier: MIT
 *
 * Fast products of linears in fewer bits: a processor's unit for them, in addition to the kernel
 * that computes everything else.  Unlike precision.h, which simulates numbers with any kernel, it
 * may not be available.
 *
 *     bf16   inputs and weights are rounded to bfloat16, to nearest, ties to even; numbers below
 *            2^-126 become 0.  Each word of 32 bits holds two that follow each other in k, the
 *            first in its lower half; a last one that is alone is paired with 0.  A sum in single
 *            precision starts at 0 and runs over the words upwards:
 *                sum = x[k + 1] * w[k + 1] + sum, then sum = x[k] * w[k] + sum
 *            each with one rounding, to nearest, and 0 where it is below 2^-126.  The bias
 *            is added last, as elsewhere.
 *
 *     int8   blocks of 64 in k, of a row of inputs and of an output's weights, become whole numbers
 *            times a scale: q = round(x * (127 / largest)), ties to even, scale = largest / 127, of
 *            the largest magnitude; all 0 where that is below 2^-100, and NaN where one is not
 *            finite.  A sum in single precision starts at 0 and runs over the blocks upwards:
 *                sum = (sum of q of x * q of w) * (scale of x * scale of w) + sum
 *            with one rounding; the sum of whole numbers is exact.
 *
 * One accumulator an output, in one order: results depend neither on the number of rows nor on
 * threads, as nn.h has it.
 * Source: Intel SDM, vol. 2, VDPBF16PS, VCVTNE2PS2BF16 and VPDPBUSD. */
#ifndef NN_FAST_H
#define NN_FAST_H

#include <stdbool.h>

#include "nn/nn.h"

struct product;                 /* kernels.h */
struct peak_kernels;            /* peak.h */

enum fast { FAST_NONE, FAST_BF16, FAST_INT8, N_FAST };
extern const char *const fast_names[];      /* "f32" (none), "bf16", "int8", NULL */

struct fast_kernel {
    enum kernel beside;         /* the kernel that computes everything else */
    const char *unit;           /* name of the processor's unit: "avx512_bf16" */
    bool built;                 /* the compiler supported the unit; false: all below is unset */
    bool (*supported)(void);    /* whether this processor has it */
    int block, words;           /* numbers that are rounded together, and words that store them */

    /* to[fast_words(K)] = x[K], any alignment; they may not overlap. */
    void (*inputs)(float *to, const float *x, int K);

    /* panel [K, width] of weights, in place -> [fast_words(K), width]; aligned to 64 bytes. */
    void (*weights)(float *panel, int width, int K);

    /* `rows` of struct kernels, where x, panel and K are of words. */
    void (*rows)(const struct product *p);

    const struct peak_kernels *peak;
};

extern const struct fast_kernel fast_bf16_avx512, fast_int8_avx512;

/* Number of words for K numbers. */
int fast_words(const struct fast_kernel *kernel, int K);

/* The fast kernel for the chosen kernel on this processor; NULL if none, or for FAST_NONE. */
const struct fast_kernel *fast_kernel(enum fast f);

/*
 * The reason why fast_kernel(f) is NULL, f not FAST_NONE, for use after a colon: "requires
 * avx512_bf16, which this processor lacks".
 */
void fast_why_not(char *why, size_t size, enum fast f);

/* The name of the chosen kernel with f: "avx512", "avx512+bf16". */
const char *fast_kernel_name(enum fast f);

#endif
