/* SPDX-License-Identifier: MIT
 * Linears against OpenBLAS, where it is installed. */
#include "nn_check.h"

#if __has_include(<cblas.h>)

#include <cblas.h>

#include "nn/linear.h"

static void agrees(void)
{
    static const int shape[][3] = { { 1, 1, 1 }, { 24, 384, 1152 }, { 37, 1536, 384 },
                                    { 130, 100, 50 } };     /* M, K, N */

    for (int i = 0; i < 4; i++) {
        int M = shape[i][0], K = shape[i][1], N = shape[i][2];
        float *x = random_floats((size_t)M * (size_t)K);
        float *w = random_floats((size_t)N * (size_t)K);
        float *y = nan_floats((size_t)M * (size_t)N), *z = nan_floats((size_t)M * (size_t)N);
        float *scratch = nan_floats(linear_scratch(K));
        struct matrix m = { .data = (unsigned char *)w, .size_bytes = 4, .N = N, .K = K,
                            .stride = K };

        for (int n0 = 0; n0 < N; n0 += PANEL)
            linear_panel(y, N, x, K, M, &m, NULL, n0, scratch);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, N, K, 1, x, K, w, K, 0, z, N);
        /* 2e-6 of the expected sum of magnitudes, K / 4. */
        for (int j = 0; j < M * N; j++)
            kernel_near("y", j, y[j], z[j], 2e-6 * (0.25 * K + 1));
        free(x);
        free(w);
        free(y);
        free(z);
        free(scratch);
    }
}

KERNEL_TEST(agrees)

#else

static void test_agrees(void **state)
{
    (void)state;
    print_message("no cblas.h: not compared with OpenBLAS\n");
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
