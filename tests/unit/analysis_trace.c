/* SPDX-License-Identifier: MIT
 * Means, largest entries and predictions, of numbers written out. */
#include "check.h"

#include <math.h>

#include "analysis/trace.h"

static void means(void **state)
{
    static const float x[] = { 0.5f, NAN, NAN, 0.25f, 0.25f, NAN };     /* [2, 3] */
    static const double none[] = { (double)NAN };
    double out[3];

    (void)state;
    trace_mean(out, x, 2, 3);
    assert_float_equal(out[0], 0.375, 0);
    assert_float_equal(out[1], 0.25, 0);
    assert_true(isnan(out[2]));
    assert_int_equal(trace_largest(out, 3), 0);
    assert_int_equal(trace_largest(none, 1), -1);
    assert_int_equal(trace_largest((const double[]){ 0.1, 0.2, 0.2 }, 3), 1);
}

static void guesses(void **state)
{
    /* ln 1, ln 4, ln 2, ln 4, ln 5 */
    static const float logit[] = { 0, 1.3862944f, 0.6931472f, 1.3862944f, 1.6094379f };
    static const int order[] = { 4, 1, 3, 2, 0 }, weight[] = { 5, 4, 4, 2, 1 };
    struct trace_guess guess[5];

    (void)state;
    for (int k = 1; k <= 5; k++) {
        trace_guesses(guess, k, logit, 5);
        for (int i = 0; i < k; i++) {
            assert_int_equal(guess[i].id, order[i]);
            assert_true(fabs(guess[i].p - weight[i] / 16.0) < 1e-7);
        }
    }
    trace_guesses(guess, 2, (const float[]){ 3, 3, 3, 3 }, 4);      /* ties: the smaller id */
    assert_int_equal(guess[0].id, 0);
    assert_int_equal(guess[1].id, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(means), cmocka_unit_test(guesses) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
