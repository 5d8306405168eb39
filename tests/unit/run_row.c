/* SPDX-License-Identifier: MIT
 * The strongest key and the entropy of rows of every length. */
#include "check.h"

#include "run/row.h"

enum { MOST = 70 };

static int first_largest(const float *w, int n)
{
    int best = 0;

    for (int j = 1; j < n; j++)
        if (w[j] > w[best])
            best = j;
    return best;
}

/* Few different weights, so that there are ties at every distance. */
static void the_strongest_key(void **state)
{
    unsigned seed = 1;

    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int i = 0; i < 200; i++) {
            float w[MOST];

            for (int j = 0; j < n; j++) {
                seed = seed * 1664525u + 1013904223u;
                w[j] = (float)(seed >> 28) / 16.0f - (i % 2 ? 1.0f : 0.0f);
            }
            assert_int_equal(row_strongest(w, n), first_largest(w, n));
        }
}

static void spread(void **state)
{
    const float w[] = { 9, 9, 9, 9, 0.5f, 0.25f, 0.25f, 9 };
    const struct rows r = { .key0 = 2, .n_keys = 3, .n_all_keys = 6, .stride = 4,
                            .weight = w };
    const float want[] = { 0, 0, 0.5f, 0.25f, 0.25f, 0 };
    float out[6];

    (void)state;
    row_spread(&r, 1, out);
    for (int j = 0; j < 6; j++)
        assert_true(out[j] == want[j]);
}

static void entropy(void **state)
{
    const float w[] = { 0.5f, 0, 0.25f, 0.25f };

    (void)state;
    check_close(row_entropy(w, 4), 1.5 * log(2), 1e-15);
    check_close(row_entropy(w, 1), 0.5 * log(2), 1e-15);
    check_close(row_entropy(w + 1, 1), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strongest_key), cmocka_unit_test(entropy),
        cmocka_unit_test(spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
