/* SPDX-License-Identifier: MIT
 * Losses, divergences and gradients of rows of logits, computed by hand. */
#include "check.h"

#include "analysis/effect.h"

enum { V = 3 };

/* p = 1/2, 1/4, 1/4 and q = 1/4, 1/4, 1/2, up to a constant of the logits. */
static const float of_p[V] = { 0.6931471805599453f, 0, 0 };
static const float of_q[V] = { 100, 100, 100.6931471805599453f };

static void distributions(void **state)
{
    double p[V], sum = effect_log_sum(of_p, V);

    (void)state;
    check_close(sum, log(4), 1e-7);
    effect_softmax(p, of_p, sum, V);
    check_close(p[0], 0.5, 1e-7);
    check_close(p[1], 0.25, 1e-7);
    check_close(effect_kl(p, of_p, sum, of_q, effect_log_sum(of_q, V), V),
                       0.25 * log(2), 1e-6);
    assert_true(effect_kl(p, of_p, sum, of_p, sum, V) == 0);
}

static void gradients(void **state)
{
    const double p[V] = { 0.5, 0.25, 0.25 };
    const float capped[V] = { 1, 0, -2 };
    double out[V];

    (void)state;
    effect_gradient(out, p, of_p, 0, 1, V);
    check_close(out[0], -0.5, 1e-12);
    check_close(out[1], 0.75, 1e-12);
    effect_gradient(out, p, capped, 4, 2, V);
    check_close(out[0], -0.5 * 15 / 16, 1e-12);
    check_close(out[1], -0.25, 1e-12);
    check_close(out[2], 0.75 * 3 / 4, 1e-12);
}

static void distances(void **state)
{
    const float x[] = { 3, 4 }, y[] = { 3, 1 }, zero[] = { 0, 0 };

    (void)state;
    check_close(effect_distance(x, y, 2), 0.6, 1e-12);
    assert_true(effect_distance(x, x, 2) == 0);
    assert_true(isnan(effect_distance(zero, x, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distributions),
        cmocka_unit_test(gradients),
        cmocka_unit_test(distances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
