/* SPDX-License-Identifier: MIT
 * What the tests of nn/ share: numbers, memory, every kernel in turn. */
#ifndef TESTS_NN_CHECK_H
#define TESTS_NN_CHECK_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"

static uint32_t random_state = 1;

/* Uniform in [-1, 1), the same on every machine. */
static inline float random_float(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (float)(random_state >> 8) * 0x1p-23f - 1;
}

/* n floats of their own, aligned to 64 bytes, so that ASan sees the end. */
static inline float *floats(size_t n)
{
    void *p = NULL;

    assert_int_equal(posix_memalign(&p, 64, (n > 0 ? n : 1) * sizeof(float)), 0);
    return p;
}

static inline float *random_floats(size_t n)
{
    float *v = floats(n);

    for (size_t i = 0; i < n; i++)
        v[i] = random_float();
    return v;
}

/* What must be written, or must not be read. */
static inline float *nan_floats(size_t n)
{
    float *v = floats(n);

    for (size_t i = 0; i < n; i++)
        v[i] = NAN;
    return v;
}

/* check_near(), with the kernel that was used. */
static inline void kernel_near(const char *what, int i, double got, double want,
                               double tolerance)
{
    char name[128];

    if (fabs(got - want) <= tolerance)
        return;
    snprintf(name, sizeof name, "%s, %s", nn_kernel_name(nn_kernel()), what);
    check_near(name, i, got, want, tolerance);
}

/* +0 and -0 differ; a NaN equals a NaN. */
static inline void kernel_same(const char *what, int i, float got, float want)
{
    if (memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want)))
        return;
    fail_msg("%s, %s [%d]: %a, expected %a", nn_kernel_name(nn_kernel()), what, i,
             (double)got, (double)want);
}

/* Each kernel that this processor has, plain C first. */
static inline void each_kernel(void (*test)(void))
{
    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0) {
            random_state = 1;
            test();
        }
}

#define KERNEL_TEST(name) \
    static void test_##name(void **state) \
    { \
        (void)state; \
        each_kernel(name); \
    }

#endif
