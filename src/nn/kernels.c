/* SPDX-License-Identifier: MIT
 * Which kernel computes: chosen once, by name or by what the processor supports. */
#include "nn/kernels.h"

#include <assert.h>
#include <string.h>

/* From slow to fast; NULL where it was not compiled in. */
static const struct kernels *const table[N_KERNEL] = {
    [KERNEL_C] = &kernels_c,
#if defined(__x86_64__)
    [KERNEL_AVX2] = &kernels_avx2,
    [KERNEL_AVX512] = &kernels_avx512,
#endif
};

/*
 * The only mutable state of this folder: written by nn_choose_kernel before any
 * thread starts, read by all.
 */
static const struct kernels *chosen = &kernels_c;

int nn_choose_kernel(const char *name)
{
    for (int k = N_KERNEL - 1; k >= 0; k--) {
        if (table[k] == NULL || (name != NULL && strcmp(name, table[k]->name) != 0))
            continue;
        if (table[k]->supported()) {
            chosen = table[k];
            return 0;
        }
    }
    return -1;
}

const struct kernels *nn_kernels(void)
{
    return chosen;
}

enum kernel nn_kernel(void)
{
    int k = 0;

    while (table[k] != chosen)
        k++;
    return (enum kernel)k;
}

const char *nn_kernel_name(enum kernel k)
{
    static const char *const name[N_KERNEL] = {
        [KERNEL_C] = "c", [KERNEL_AVX2] = "avx2", [KERNEL_AVX512] = "avx512",
    };

    assert(k >= 0 && k < N_KERNEL);
    return name[k];
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
