/* SPDX-License-Identifier: MIT
 * The loops of peak.h in plain C, and which of them is run. */
#include "nn/peak.h"

#include "nn/kernels.h"

/* Sums that no two steps share, enough to fill the pipelines of a processor. */
enum { SUMS = 32 };

static float peak_multiply_plain(int64_t steps)
{
    float sum[SUMS];
    float all = 0, factor = 0.999f;

    for (int i = 0; i < SUMS; i++)
        sum[i] = (float)i;
    for (int64_t s = 0; s < steps; s++)
        for (int i = 0; i < SUMS; i++)
            sum[i] = sum[i] * factor + factor;
    for (int i = 0; i < SUMS; i++)
        all += sum[i];
    return all;
}

static float peak_read_floats(const float *x, int64_t n)
{
    float lane[LANES] = { 0 };
    float all = 0;

    for (int64_t i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[i + l];
    for (int l = 0; l < LANES; l++)
        all += lane[l];
    return all;
}

static const struct peak_kernels peak_c = { 2 * SUMS, peak_multiply_plain, peak_read_floats };

static const struct peak_kernels *const table[N_KERNEL] = {
    [KERNEL_C] = &peak_c,
#if defined(__x86_64__)
    [KERNEL_AVX2] = &peak_avx2,
    [KERNEL_AVX512] = &peak_avx512,
#elif defined(__AARCH64EL__)
    [KERNEL_NEON] = &peak_neon,
#endif
};

const struct peak_kernels *peak_of(enum kernel k)
{
    return kernels_of(k) != NULL ? table[k] : NULL;
}

const struct peak_kernels *peak_of_fast(enum fast f)
{
    const struct fast_kernel *kernel = fast_kernel(f);

    return kernel != NULL ? kernel->peak : NULL;
}

int64_t peak_multiply(const struct peak_kernels *kernels, int64_t steps, float *sum)
{
    *sum = kernels->multiply(steps);
    return steps * kernels->flop;
}

float peak_read(const float *x, int64_t n)
{
    int k = N_KERNEL - 1;

    while (peak_of((enum kernel)k) == NULL)
        k--;
    return table[k]->read(x, n);
}
