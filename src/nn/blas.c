/* SPDX-License-Identifier: MIT
 * Products of panels by OpenBLAS, in one thread: those of the program share out the work. */
#include "nn/blas.h"

#include <stddef.h>

#ifdef MHA_VIZ_BLAS

#include <cblas.h>

#include "nn/kernels.h"

/* A single row may come with any stride; OpenBLAS requires that of whole rows. */
static int stride_of(int64_t stride, int M, int n)
{
    return M > 1 ? (int)stride : n;
}

static void rows(const struct product *product)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, product->M, product->n, product->K, 1,
                product->x, stride_of(product->x_stride, product->M, product->K), product->panel,
                product->width, product->resume ? 1 : 0, product->y,
                stride_of(product->y_stride, product->M, product->n));
    for (int m = 0; m < product->M && product->bias != NULL; m++)
        for (int i = 0; i < product->n; i++)
            product->y[m * product->y_stride + i] += product->bias[i];
}

/* Written where a kernel is chosen, before any thread starts, as nn_choose_kernel's state. */
static struct kernels with_blas;

const struct kernels *blas_kernels(const struct kernels *fastest)
{
    openblas_set_num_threads(1);
    with_blas = *fastest;
    with_blas.name = "blas";
    with_blas.width = PANEL;
    with_blas.rows = rows;
    return &with_blas;
}

const char *blas_version(void)
{
    return openblas_get_config();
}

#else

const struct kernels *blas_kernels(const struct kernels *fastest)
{
    (void)fastest;
    return NULL;
}

const char *blas_version(void)
{
    return NULL;
}

#endif
