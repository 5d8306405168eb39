/* SPDX-License-Identifier: MIT
 *
 * OpenBLAS as an optional kernel of the build (make BLAS=1): its products beside everything
 * else of the fastest kernel.  A row's sum changes with the number of rows in the product, so
 * that it is outside the promise of nn.h, and is chosen by name only. */
#ifndef NN_BLAS_H
#define NN_BLAS_H

struct kernels;                 /* kernels.h */

/* NULL: not built in. */
const struct kernels *blas_kernels(const struct kernels *fastest);

/* "OpenBLAS 0.3.21 ...", as it says itself; NULL: not built in. */
const char *blas_version(void);

#endif
