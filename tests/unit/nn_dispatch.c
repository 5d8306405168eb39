/* SPDX-License-Identifier: MIT
 * The choice of a kernel. */
#include "nn_check.h"

#include "nn/blas.h"

static void test_default_is_c(void **state)
{
    (void)state;
    assert_int_equal(nn_kernel(), KERNEL_C);
}

static void test_names(void **state)
{
    static const char *const name[N_KERNEL] = { "c", "avx2", "avx512", "neon" };
    enum kernel fastest = KERNEL_C;

    (void)state;
    for (int k = 0; k < N_KERNEL; k++) {
        assert_string_equal(nn_kernel_name((enum kernel)k), name[k]);
        if (nn_choose_kernel(name[k]) == 0) {
            fastest = (enum kernel)k;
            assert_int_equal(nn_kernel(), k);
        }
    }
    assert_int_equal(nn_choose_kernel(NULL), 0);
    assert_int_equal(nn_kernel(), fastest);
}

static void test_unknown_changes_nothing(void **state)
{
    static const char *const unknown[] = { "", "C", "avx", "avx5120", "openblas" };

    (void)state;
    assert_int_equal(nn_choose_kernel("c"), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(nn_choose_kernel(unknown[i]), -1);
        assert_int_equal(nn_kernel(), KERNEL_C);
    }
}

/* Not one of those that give the same bytes; without it in the build, it is unknown. */
static void test_blas_is_apart(void **state)
{
    (void)state;
    assert_int_equal(KERNEL_BLAS, N_KERNEL);
    assert_string_equal(nn_kernel_name(KERNEL_BLAS), "blas");
    assert_int_equal(nn_choose_kernel("c"), 0);
    assert_int_equal(nn_choose_kernel("blas"), blas_version() != NULL ? 0 : -1);
    assert_int_equal(nn_kernel(), blas_version() != NULL ? KERNEL_BLAS : KERNEL_C);
    assert_int_equal(nn_choose_kernel(NULL), 0);
    assert_int_not_equal(nn_kernel(), KERNEL_BLAS);
}

/* A processor with these units is given them (a wrong test would only be slow). */
static void test_processor_is_used(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        assert_int_equal(nn_choose_kernel("avx2"), 0);
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        assert_int_equal(nn_choose_kernel("avx512"), 0);
    assert_int_equal(nn_choose_kernel("neon"), -1);
#elif defined(__AARCH64EL__)
    assert_int_equal(nn_choose_kernel("neon"), 0);
    assert_int_equal(nn_choose_kernel("avx2"), -1);
#else
    assert_string_equal(nn_kernel_choices(), "c");
    assert_int_equal(nn_choose_kernel("avx2"), -1);
    assert_int_equal(nn_choose_kernel("neon"), -1);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_is_c), cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_changes_nothing),
        cmocka_unit_test(test_blas_is_apart), cmocka_unit_test(test_processor_is_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
