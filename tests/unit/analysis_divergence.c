/* SPDX-License-Identifier: MIT
 * Divergences that can be worked out by hand. */
#include "check.h"

#include "analysis/divergence.h"
#include "analysis/stability.h"

static void by_hand(void **state)
{
    const float one[] = { 1, 0, 0 }, other[] = { 0, 0, 1 }, half[] = { 0.5f, 0.5f, 0 };
    /* m = (3/4, 1/4): ln(4/3) / 2 + (ln(2/3) + ln 2) / 4 */
    double want = log(4.0 / 3) / 2 + (log(2.0 / 3) + log(2.0)) / 4;

    (void)state;
    assert_true(divergence_js(one, one, 3) == 0);
    check_close(divergence_js(one, other, 3), log(2.0), 1e-15);
    check_close(divergence_js(one, half, 3), want, 1e-15);
    assert_true(divergence_js(half, one, 3) == divergence_js(one, half, 3));
}

/* y_0 = (1, -1): variance 1; runs off by (0, 0) and (2, 0). */
static void output(void **state)
{
    const float y[] = { 1, -1, 1, -1, 3, -1 }, flat[] = { 2, 2, 2, 3 };
    struct stability_output c = stability_output(y, 2, 2);

    (void)state;
    assert_true(c.mean_variance == 1 && c.max_variance == 2 && c.relative == 1);
    assert_true(isnan(stability_output(flat, 2, 1).relative));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(output),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
