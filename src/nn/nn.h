/* SPDX-License-Identifier: MIT
 *
 * Numerical kernels: no input or output, no allocation, no failure.  Preconditions are
 * asserted; model/bind/bind.c and the checks of run/ establish them.  Each kind of computation
 * has a header of its own: linear.h, norm.h, act.h, rope.h, attention.h and so on.
 *
 * Dimensions, here and everywhere:
 *     L layers   H query heads   G key/value heads   T tokens (queries)
 *     S keys     D model width   d head width        F mlp width   V vocabulary
 *
 * Reproducibility.  Each output is summed in one fixed order, k (or the key) from
 * 0 upwards, one addition (or fused multiply-add) per element, in one accumulator.
 * A result therefore depends neither on the number of rows in the product, nor on the
 * position of a row among them, nor on blocking or threads.  Sums over a row (softmax,
 * norms) run in 16 lanes, lane = absolute index mod 16, and the lanes are added
 * in one fixed tree.  Kernels (plain C, AVX2, AVX-512, NEON) agree within a relative
 * error of 1e-5 of the sum of magnitudes; the plain C one is the reference. */
#ifndef NN_NN_H
#define NN_NN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The implementations of the inner loops, from slow to fast on any processor; then OpenBLAS's,
 * which is not reproducible as above, and not counted in N_KERNEL.
 */
enum kernel {
    KERNEL_C, KERNEL_AVX2, KERNEL_AVX512, KERNEL_NEON, N_KERNEL, KERNEL_BLAS = N_KERNEL
};

/*
 * Chooses the fastest kernel that this processor supports, or the one named ("c",
 * "avx2", "avx512", "neon", "blas" of a build with it; NULL: the fastest).  Returns 0, or -1 if
 * the name is unknown or the processor does not support that kernel; then nothing changes.  To
 * be called before any thread starts (tests call it between runs).  Default: KERNEL_C.
 */
int nn_choose_kernel(const char *name);

/* The kernel that was chosen. */
enum kernel nn_kernel(void);

/* "c", "avx2", "avx512", "neon" or "blas". */
const char *nn_kernel_name(enum kernel k);

/* The names of supported kernels, for a message: "c, avx2 or avx512". */
const char *nn_kernel_choices(void);

/* Number of outputs that are packed and computed together. */
enum { PANEL = 32 };

/* y[i] += x[i], i < n. */
void nn_add(float *y, const float *x, int64_t n);

#endif
