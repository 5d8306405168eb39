/* SPDX-License-Identifier: MIT
 * The choice of the kernel, once, by name or by the processor's features. */
#include "nn/kernels.h"

#include <assert.h>
#include <string.h>

#include "nn/blas.h"

/* From slow to fast; NULL where it was not compiled in. */
static const struct kernels *const table[N_KERNEL] = {
    [KERNEL_C] = &kernels_c,
#if defined(__x86_64__)
    [KERNEL_AVX2] = &kernels_avx2,
    [KERNEL_AVX512] = &kernels_avx512,
#elif defined(__AARCH64EL__)
    [KERNEL_NEON] = &kernels_neon,
#endif
};

/*
 * The only mutable state of this folder: written by nn_choose_kernel before any
 * thread starts, read by all.
 */
static const struct kernels *chosen = &kernels_c;

const struct kernels *kernels_of(enum kernel k)
{
    return table[k] != NULL && table[k]->supported() ? table[k] : NULL;
}

static enum kernel fastest(void)
{
    int k = N_KERNEL - 1;

    while (kernels_of((enum kernel)k) == NULL)
        k--;
    return (enum kernel)k;
}

/* NULL: it is not there. */
static const struct kernels *named(const char *name)
{
    if (strcmp(name, nn_kernel_name(KERNEL_BLAS)) == 0)
        return blas_kernels(table[fastest()]);
    for (int k = 0; k < N_KERNEL; k++)
        if (strcmp(name, nn_kernel_name((enum kernel)k)) == 0)
            return kernels_of((enum kernel)k);
    return NULL;
}

int nn_choose_kernel(const char *name)
{
    const struct kernels *found = name == NULL ? table[fastest()] : named(name);

    if (found == NULL)
        return -1;
    chosen = found;
    return 0;
}

const struct kernels *nn_kernels(void)
{
    return chosen;
}

enum kernel nn_kernel(void)
{
    int k = 0;

    while (k < N_KERNEL && table[k] != chosen)
        k++;
    return (enum kernel)k;
}

const char *nn_kernel_name(enum kernel k)
{
    static const char *const name[] = {
        [KERNEL_C] = "c", [KERNEL_AVX2] = "avx2", [KERNEL_AVX512] = "avx512",
        [KERNEL_NEON] = "neon", [KERNEL_BLAS] = "blas",
    };

    assert(k >= 0 && k <= KERNEL_BLAS);
    return name[k];
}

const char *nn_kernel_choices(void)
{
    static const char *const choices[N_KERNEL] = {
        [KERNEL_C] = "c", [KERNEL_AVX2] = "c or avx2", [KERNEL_AVX512] = "c, avx2 or avx512",
        [KERNEL_NEON] = "c or neon",
    };

    return choices[fastest()];
}

/* ---- element by element ---- */

void nn_add(float *y, const float *x, int64_t n)
{
    chosen->add(y, x, n);
}

void act_apply(enum act act, float *y, int64_t n)
{
    chosen->act(act, y, NULL, n);
}

void act_gated(enum act act, float *y, const float *gate, int64_t n)
{
    chosen->act(act, y, gate, n);
}
