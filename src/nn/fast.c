/* SPDX-License-Identifier: MIT
 * The chosen kernel and processor -> the available fast products in fewer bits. */
#include "nn/fast.h"

#include <assert.h>
#include <stdio.h>

const char *const fast_names[] = { "f32", "bf16", "int8", NULL };

/* NULL: no kernel of this architecture has them. */
static const struct fast_kernel *const table[N_FAST] = {
#if defined(__x86_64__)
    [FAST_BF16] = &fast_bf16_avx512, [FAST_INT8] = &fast_int8_avx512,
#else
    NULL
#endif
};

int fast_words(const struct fast_kernel *kernel, int K)
{
    return ((K - 1) / kernel->block + 1) * kernel->words;
}

const struct fast_kernel *fast_kernel(enum fast f)
{
    const struct fast_kernel *kernel = table[f];
    bool there = kernel != NULL && kernel->built && kernel->beside == nn_kernel() &&
                 kernel->supported();

    return there ? kernel : NULL;
}

void fast_why_not(char *why, size_t size, enum fast f)
{
    const struct fast_kernel *kernel = table[f];

    assert(f != FAST_NONE);
    if (kernel == NULL)
        snprintf(why, size, "this architecture has no kernel for it");
    else if (!kernel->built)
        snprintf(why, size, "this program was built by a compiler without %s", kernel->unit);
    else if (!kernel->supported())
        snprintf(why, size, "requires %s, which this processor lacks", kernel->unit);
    else
        snprintf(why, size, "requires the kernel %s, found %s", nn_kernel_name(kernel->beside),
                 nn_kernel_name(nn_kernel()));
}

const char *fast_kernel_name(enum fast f)
{
    static const char *const name[N_FAST] = {
        [FAST_BF16] = "avx512+bf16", [FAST_INT8] = "avx512+int8",
    };

    return f == FAST_NONE ? nn_kernel_name(nn_kernel()) : name[f];
}
