/* SPDX-License-Identifier: MIT
 * What a pass over a row tells, against the formulas, and the same bits on every kernel. */
#include "nn_check.h"

#include "nn/scan.h"

enum { MOST = 200 };

/* Weights with equal largest ones, zeros at both ends. */
static float *weights(int n)
{
    float *w = random_floats((size_t)n);

    for (int j = 0; j < n; j++)
        w[j] = j % 7 == 0 ? 0 : j % 5 == 3 ? 0.75f : fabsf(w[j]) * 0.7f;
    return w;
}

static void check_row(const float *w, int n, int key0, int query)
{
    struct scan s = scan_row(w, n, key0, query);
    double distance = 0, distance_abs = 0;
    int best = 0;

    for (int j = 0; j < n; j++) {
        distance += (double)w[j] * (key0 + j - query);
        distance_abs += (double)w[j] * abs(key0 + j - query);
        best = w[j] > w[best] ? j : best;
    }
    assert_int_equal(s.strongest, best);
    assert_int_equal(scan_strongest(w, n), best);
    kernel_near("distance", n, s.distance, distance, 1e-12 * (distance_abs + 1));
    kernel_near("|distance|", n, s.distance_abs, distance_abs, 1e-12 * (distance_abs + 1));
}

static void rows(void)
{
    for (int n = 1; n <= MOST; n++) {
        float *w = weights(n);

        for (int key0 = 0; key0 < 6; key0++)
            check_row(w, n, key0, key0 + n * key0 / 5);
        check_row(w, n, 32, 1);
        check_row(w, n, 0, 2000000000);
        free(w);
    }
}

/* Computed by hand: weights 1/4, 1/2 and 1/4 of keys 4, 5 and 6, query 6. */
static void by_hand(void)
{
    float *w = floats(3);
    struct scan s;

    w[0] = w[2] = 0.25f;
    w[1] = 0.5f;
    s = scan_row(w, 3, 4, 6);
    assert_int_equal(s.strongest, 1);
    assert_true(s.distance == -1 && s.distance_abs == 1);
    free(w);
}

/* Where the numbers end, in each lane; none; and what is not a number. */
static void largest(void)
{
    float *w = floats(MOST);

    for (int n = 1; n <= 70; n++)
        for (int at = 0; at < n; at++) {
            for (int j = 0; j < n; j++)
                w[j] = j == at ? -0.5f : -1;
            assert_int_equal(scan_strongest(w, n), at);
            w[n - 1] = -0.5f;
            assert_int_equal(scan_strongest(w, n), at);
        }
    for (int j = 0; j < MOST; j++)
        w[j] = -INFINITY;
    assert_int_equal(scan_strongest(w, MOST), 0);
    for (int j = 0; j < MOST; j++)
        w[j] = j == 77 ? 1 : NAN;
    assert_int_equal(scan_strongest(w, MOST), 77);
    w[77] = NAN;
    assert_int_equal(scan_strongest(w, MOST), 0);
    free(w);
}

/* Blocks of 1 to 5 rows, each row as by itself. */
static void blocks(void)
{
    for (int n = 1; n <= 80; n++) {
        size_t stride = (size_t)n + 3;
        float *w = weights((int)stride * 5), most[5];

        for (int n_rows = 1; n_rows <= 5; n_rows++) {
            int key0 = n % 4 * 8 + n % 3, query = n * n_rows / 3;
            struct scan_sums s = scan_rows(most, w, stride, n_rows, n, key0, query);
            double sum = 0, sum_abs = 0;

            for (int t = 0; t < n_rows; t++) {
                const float *row = w + (size_t)t * stride;
                struct scan one = scan_row(row, n, key0, query + t);

                sum += one.distance;
                sum_abs += one.distance_abs;
                assert_true(most[t] == row[one.strongest]);
            }
            kernel_near("distance", n, s.distance, sum, 1e-12 * (sum_abs + 1));
            kernel_near("|distance|", n, s.distance_abs, sum_abs, 1e-12 * (sum_abs + 1));
        }
        free(w);
    }
}

static struct scan first[MOST];
static struct scan_sums first_block[MOST];

static void same_bits(void)
{
    for (int n = 1; n < MOST; n++) {
        float *w = weights(n);
        struct scan s = scan_row(w, n, n % 3 * 16, n * 2 / 3);
        float most[7];
        struct scan_sums block = scan_rows(most, w, (size_t)(n / 7), n < 7 ? 0 : 7,
                                           n < 7 ? 1 : n / 7, n % 3 * 8, n / 9);

        if (nn_kernel() == KERNEL_C) {
            first[n] = s;
            first_block[n] = block;
        }
        assert_memory_equal(&block, &first_block[n], sizeof block);
        assert_int_equal(s.strongest, first[n].strongest);
        assert_memory_equal(&s.distance, &first[n].distance, sizeof s.distance);
        assert_memory_equal(&s.distance_abs, &first[n].distance_abs, sizeof s.distance_abs);
        free(w);
    }
}

KERNEL_TEST(rows)
KERNEL_TEST(by_hand)
KERNEL_TEST(largest)
KERNEL_TEST(blocks)
KERNEL_TEST(same_bits)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_largest), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
