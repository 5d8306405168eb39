/* SPDX-License-Identifier: MIT
 * The loops that limits are measured with: what they say they do. */
#include "check.h"

#include <stdlib.h>

#include "nn/peak.h"

enum { N = 1 << 12 };

/* x = 0.999 x + 0.999 goes to 999 from anywhere below; x + 0.5 goes on. */
static void multiplies(const struct peak_kernels *p)
{
    float few, more;
    int64_t flop;

    if (p == NULL)
        return;
    flop = peak_multiply(p, 10, &few);
    assert_true(flop > 0 && flop % 10 == 0);
    assert_true(peak_multiply(p, 1000, &more) == 100 * flop);
    assert_true(isfinite(few) && more > few);
}

static void multiplies_on_each_kernel(void **state)
{
    (void)state;
    assert_non_null(peak_of(KERNEL_C));
    for (int k = 0; k < N_KERNEL; k++)
        multiplies(peak_of((enum kernel)k));
    nn_choose_kernel(NULL);
    for (int f = 0; f < N_FAST; f++)
        multiplies(peak_of_fast((enum fast)f));
}

static void reads_everything(void **state)
{
    float *x = aligned_alloc(64, N * sizeof *x);

    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    assert_float_equal(peak_read(x, N), N, 0);
    x[N - 1] = 3;
    assert_float_equal(peak_read(x, N), N + 2, 0);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies_on_each_kernel),
        cmocka_unit_test(reads_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
