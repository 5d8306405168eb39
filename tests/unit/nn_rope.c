/* SPDX-License-Identifier: MIT
 * Rotary positions against the formula in double at the angle in float. */
#include "nn_check.h"
#include "nn/rope.h"

static void test_table(void **state)
{
    enum { R = 10, HALF = R / 2, POS0 = 1990, N = 70 };
    static const float inv_freq[HALF] = { 1, 0.15848932f, 0.025118865f, 0.0039810717f,
                                          0.00063095734f };
    float c[N * HALF], s[N * HALF], factor = 1.25f;

    (void)state;
    rope_table(c, s, inv_freq, R, factor, POS0, N);
    for (int i = 0; i < N * HALF; i++) {
        /* The product in float: at position 2,000 it differs from double by 6e-5. */
        float angle = (float)(POS0 + i / HALF) * inv_freq[i % HALF];

        kernel_near("cos", i, c[i], (double)(factor * cosl((long double)angle)), 1.2e-7);
        kernel_near("sin", i, s[i], (double)(factor * sinl((long double)angle)), 1.2e-7);
    }
}

/* The pair that column i of the rotated part belongs to. */
static void pair_of(int i, int r, enum rope_layout layout, int *pair, bool *second)
{
    *pair = layout == ROPE_PAIRS ? i / 2 : i % (r / 2);
    *second = layout == ROPE_PAIRS ? i % 2 : i >= r / 2;
}

static void check_apply(int heads, int d, int r, enum rope_layout layout)
{
    size_t n = (size_t)(heads * d);
    float *row = random_floats(n + 1), *old = floats(n + 1), c[64], s[64];
    int other = layout == ROPE_PAIRS ? 1 : r / 2;

    memcpy(old, row, (n + 1) * sizeof *row);
    for (int i = 0; i < r / 2; i++) {
        c[i] = cosf((float)(7 * i + 1));
        s[i] = sinf((float)(7 * i + 1));
    }
    rope_apply(row, heads, d, r, layout, c, s);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < d; i++) {
            const float *x = old + h * d;
            int pair;
            bool second;

            if (i >= r) {
                kernel_same("rest", i, row[h * d + i], x[i]);
                continue;
            }
            pair_of(i, r, layout, &pair, &second);
            double want = second ? (double)x[i] * c[pair] + (double)x[i - other] * s[pair]
                                 : (double)x[i] * c[pair] - (double)x[i + other] * s[pair];

            kernel_near("row", h * d + i, row[h * d + i], want, 1.2e-7);
        }
    kernel_same("behind", 0, row[n], old[n]);
    free(row);
    free(old);
}

static void test_apply(void **state)
{
    static const int shape[][3] = { { 1, 2, 2 }, { 3, 6, 6 }, { 2, 12, 4 }, { 4, 64, 64 },
                                    { 1, 80, 20 }, { 5, 14, 14 } };    /* heads, d, r */

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        check_apply(shape[i][0], shape[i][1], shape[i][2], ROPE_HALVES);
        check_apply(shape[i][0], shape[i][1], shape[i][2], ROPE_PAIRS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_apply),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
