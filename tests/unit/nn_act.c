/* SPDX-License-Identifier: MIT
 * Activations against their formulas in double. */
#include <float.h>

#include "nn_check.h"
#include "nn/act.h"

static double formula(enum act act, double x)
{
    switch (act) {
    case ACT_GELU:
        return x / 2 * erfc(-x / sqrt(2));
    case ACT_GELU_TANH:     /* 1 + tanh z = 2 / (1 + exp(-2z)), exact near -1 too */
        return x / (1 + exp(-2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case ACT_QUICK_GELU:
        return x / (1 + exp(-1.702 * x));
    case ACT_SILU:
        return x / (1 + exp(-x));
    case ACT_RELU:
        return x > 0 ? x : 0;
    case ACT_TANH:
        return tanh(x);
    case ACT_RELU2:
        return x * x > (double)FLT_MAX && x > 0 ? HUGE_VAL : x > 0 ? x * x : 0;
    case N_ACT:
        break;
    }
    fail();
    return 0;
}

static void check_values(const float *x, int n)
{
    float *y = floats((size_t)n);

    for (int act = 0; act < N_ACT; act++) {
        memcpy(y, x, (size_t)n * sizeof *y);
        act_apply((enum act)act, y, n);
        for (int i = 0; i < n; i++) {
            double want = formula((enum act)act, x[i]);

            if ((double)y[i] != want && !(fabs(y[i] - want) <= 2e-7 * (1 + fabs(want))))
                fail_msg("%s, act %d (%a): %.9g, expected %.9g", nn_kernel_name(nn_kernel()), act,
                         (double)x[i], (double)y[i], want);
        }
    }
    free(y);
}

static void near_formulas(void)
{
    enum { N = 200001 };
    float *x = floats(N);

    for (int i = 0; i < N; i++)
        x[i] = (float)(i - N / 2) * 1e-4f;          /* -10 .. 10 */
    check_values(x, N);
    for (int i = 0; i < N; i++)
        x[i] = ldexpf(random_float(), i % 40 - 30);  /* of every size to 512 */
    check_values(x, N);
    free(x);
}

static void extremes(void)
{
    static const float x[] = {
        0, -0.0f, 0x1p-149f, -0x1p-149f, 0x1p-126f, -0x1p-126f, 6, -6, 5.9999995f, -6.0000005f,
        87, -87, 88.3f, -88.3f, 88.6f, -88.6f, 89, -89, 104, -104, 1e4f, -1e4f, 1e15f, -1e15f,
        3.4e38f, -3.4e38f,
    };

    check_values(x, sizeof x / sizeof *x);
}

static void nan_and_infinity(void)
{
    for (int act = 0; act < N_ACT; act++)
        for (int n = 1; n < 40; n++) {
            float *y = floats((size_t)n), *gate = floats((size_t)n);

            for (int i = 0; i < n; i++) {
                y[i] = gate[i] = 1;
            }
            y[n / 2] = gate[n - 1] = NAN;
            act_gated((enum act)act, y, gate, n);
            for (int i = 0; i < n; i++)
                assert_int_equal(isnan(y[i]) != 0, i == n / 2 || i == n - 1);
            free(y);
            free(gate);
        }
    for (int act = 0; act < N_ACT; act++) {
        float y[2] = { INFINITY, -INFINITY };

        act_apply((enum act)act, y, 2);
        if (act == ACT_TANH)
            assert_true(y[0] == 1 && y[1] == -1);
        else
            assert_true(!isfinite(y[0]));
    }
}

/* An element's bytes do not depend on where it stands. */
static void same_bytes_anywhere(void)
{
    enum { N = 70 };
    float *x = random_floats(N), *gate = random_floats(N);
    float *all = floats(N), *part = floats(N + 2);

    for (int act = 0; act < N_ACT; act++)
        for (int gated = 0; gated < 2; gated++) {
            memcpy(all, x, N * sizeof *x);
            if (gated)
                act_gated((enum act)act, all, gate, N);
            else
                act_apply((enum act)act, all, N);
            for (int first = 0; first < N; first++)
                for (int n = 1; first + n <= N; n += 7) {
                    float *y = part + first % 3;    /* not aligned alike */

                    memcpy(y, x + first, (size_t)n * sizeof *y);
                    if (gated)
                        act_gated((enum act)act, y, gate + first, n);
                    else
                        act_apply((enum act)act, y, n);
                    for (int i = 0; i < n; i++)
                        kernel_same("act", act * 100 + first + i, y[i], all[first + i]);
                }
        }
    free(x);
    free(gate);
    free(all);
    free(part);
}

static void gated_is_a_product(void)
{
    for (int n = 1; n < 50; n++) {
        float *y = random_floats((size_t)n), *gate = random_floats((size_t)n);
        float *want = floats((size_t)n);

        memcpy(want, gate, (size_t)n * sizeof *want);
        act_apply(ACT_SILU, want, n);
        for (int i = 0; i < n; i++)
            want[i] *= y[i];
        act_gated(ACT_SILU, y, gate, n);
        for (int i = 0; i < n; i++)
            kernel_same("gated", i, y[i], want[i]);
        free(y);
        free(gate);
        free(want);
    }
}

static void adds(void)
{
    for (int n = 0; n < 50; n++) {
        float *y = random_floats((size_t)n + 1), *x = random_floats((size_t)n);
        float *want = floats((size_t)n + 1);

        for (int i = 0; i <= n; i++)
            want[i] = i < n ? y[i] + x[i] : y[i];
        nn_add(y, x, n);
        for (int i = 0; i <= n; i++)
            kernel_same("sum", i, y[i], want[i]);
        free(y);
        free(x);
        free(want);
    }
}

KERNEL_TEST(near_formulas)
KERNEL_TEST(extremes)
KERNEL_TEST(nan_and_infinity)
KERNEL_TEST(same_bytes_anywhere)
KERNEL_TEST(gated_is_a_product)
KERNEL_TEST(adds)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_formulas), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_nan_and_infinity), cmocka_unit_test(test_same_bytes_anywhere),
        cmocka_unit_test(test_gated_is_a_product), cmocka_unit_test(test_adds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
