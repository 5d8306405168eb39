/* SPDX-License-Identifier: MIT
 * Norms against their formulas, summed in another order, in long double. */
#include "nn_check.h"
#include "nn/norm.h"

enum { T = 3, MAX_D = 200 };

/* One row; rms: no mean, no bias. */
static void formula(double *y, const float *x, const float *weight, const float *bias,
                    double eps, int D, bool rms)
{
    long double mean = 0, var = 0;

    for (int i = D; i-- > 0;)
        mean += x[i];
    mean = rms ? 0 : mean / D;
    for (int i = D; i-- > 0;)
        var += (x[i] - mean) * (x[i] - mean);
    for (int i = 0; i < D; i++)
        y[i] = (double)((x[i] - mean) / sqrtl(var / D + eps)) * (weight ? weight[i] : 1) +
               (bias ? bias[i] : 0);
}

static void check_norm(int D, double spread, double shift, float eps, bool rms, bool plain)
{
    size_t n = (size_t)(T * D);
    float *x = random_floats(n), *y = nan_floats(n), *weight = random_floats((size_t)D);
    float *bias = random_floats((size_t)D);
    double want[MAX_D];

    for (size_t i = 0; i < n; i++)
        x[i] = (float)(x[i] * spread + shift);
    if (rms)
        norm_rms(y, x, plain ? NULL : weight, eps, T, D);
    else
        norm_layer(y, x, plain ? NULL : weight, plain ? NULL : bias, eps, T, D);
    for (int t = 0; t < T; t++) {
        formula(want, x + t * D, plain ? NULL : weight, plain || rms ? NULL : bias, eps, D,
                rms);
        /* Rounded once: half a unit of 2^-24, and what cancels against the bias. */
        for (int i = 0; i < D; i++)
            kernel_near("y", t * D + i, y[t * D + i], want[i], 6.1e-8 * fabs(want[i]) + 1e-12);
    }
    free(x);
    free(y);
    free(weight);
    free(bias);
}

static void near_formulas(void)
{
    for (int D = 1; D <= MAX_D; D += D < 40 ? 1 : 23)
        for (int kind = 0; kind < 4; kind++) {
            check_norm(D, 1, 0, 1e-5f, kind & 1, kind & 2);
            check_norm(D, 1e-3, 0.01, 1e-6f, kind & 1, kind & 2);   /* eps matters */
            check_norm(D, 1e-7, 0, 1e-12f, kind & 1, kind & 2);
            check_norm(D, 1e4, 1e4, 1e-5f, kind & 1, kind & 2);
        }
}

static void in_place_and_row_by_row(void)
{
    enum { D = 77 };
    float *x = random_floats(T * D), *y = nan_floats(T * D), *weight = random_floats(D);

    norm_layer(y, x, weight, weight, 1e-5f, T, D);
    for (int t = T - 1; t >= 0; t--)
        norm_layer(x + t * D, x + t * D, weight, weight, 1e-5f, 1, D);
    for (int i = 0; i < T * D; i++)
        kernel_same("y", i, x[i], y[i]);
    free(x);
    free(y);
    free(weight);
}

/* Nothing but float additions in double: all kernels give the same bytes. */
static void test_kernels_agree(void **state)
{
    enum { D = 131 };
    float *x = random_floats(T * D), *weight = random_floats(D), *y[N_KERNEL];

    (void)state;
    for (int k = 0; k < N_KERNEL; k++) {
        y[k] = nan_floats(T * D);
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0) {
            norm_layer(y[k], x, weight, weight, 1e-5f, T, D);
            for (int i = 0; i < T * D; i++)
                kernel_same("y", i, y[k][i], y[0][i]);
        }
    }
    for (int k = 0; k < N_KERNEL; k++)
        free(y[k]);
    free(x);
    free(weight);
}

static void nan_stays_in_its_row(void)
{
    enum { D = 40 };
    float *x = random_floats(T * D);

    x[D + 33] = NAN;
    norm_rms(x, x, NULL, 1e-5f, T, D);
    for (int i = 0; i < T * D; i++)
        assert_int_equal(isnan(x[i]) != 0, i / D == 1);
    free(x);
}

KERNEL_TEST(near_formulas)
KERNEL_TEST(in_place_and_row_by_row)
KERNEL_TEST(nan_stays_in_its_row)

/* By nothing, in place too. */
static void test_affine(void **state)
{
    float x[] = { 1, -2, 3, 0, 4, 5 }, y[6];
    const float weight[] = { 2, .5f, -1 }, bias[] = { 1, 0, 10 };
    const double want[] = { 3, -1, 7, 1, 2, 5 }, bare[] = { 2, -1, -3, 0, 2, -5 };

    (void)state;
    norm_affine(y, x, weight, bias, 2, 3);
    check_doubles("weight x + bias", y, want, 6, 0);
    norm_affine(x, x, weight, NULL, 2, 3);
    check_doubles("weight x", x, bare, 6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_formulas), cmocka_unit_test(test_in_place_and_row_by_row),
        cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_nan_stays_in_its_row),
        cmocka_unit_test(test_affine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
