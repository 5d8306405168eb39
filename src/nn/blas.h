/* SPDX-License-Identifier: MIT
 *
 * OpenBLAS as an optional kernel of the build (make BLAS=1): its products, and all else from the
 * fastest kernel.  A row's sum depends on the number of rows in the product, so that it is not
 * reproducible as in nn.h, and it is chosen by name only. */
#ifndef NN_BLAS_H
#define NN_BLAS_H

struct kernels;                 /* kernels.h */

/* The kernel; NULL if not built in. */
const struct kernels *blas_kernels(const struct kernels *fastest);

/* Its version string, "OpenBLAS 0.3.21 ..."; NULL if not built in. */
const char *blas_version(void);

#endif
