/* SPDX-License-Identifier: MIT
 * Student's distribution, and differences between groups, with values computed by hand or taken
 * from tables.  tests/ref/summary.py compares them with integrals and permutations. */
#include "check.h"

#include <math.h>

#include "analysis/contrast.h"
#include "analysis/student.h"

/* One degree of freedom is Cauchy's distribution, two have a closed form. */
static void closed_forms(void **state)
{
    (void)state;
    for (double t = 0.001; t < 1e4; t *= 3) {
        double two = 1 - t / sqrt(2 + t * t);

        check_close(student_tail(t, 1), 1 - 2 / M_PI * atan(t), 1e-14);
        check_close(student_tail(t, 2), two, 1e-14);
        check_close(student_tail(-t, 2), two, 1e-14);
    }
    assert_true(student_tail(0, 3) == 1 && student_tail(INFINITY, 3) == 0);
    assert_true(isnan(student_tail(NAN, 3)) && isnan(student_tail(1, NAN)));
}

/* mpmath's incomplete beta function at 40 digits */
static void against_tables(void **state)
{
    static const struct { double p, nu, t; } cases[] = {
        { 0.05, 1, 12.706204736174705 }, { 0.05, 1.5, 6.016663104427929 },
        { 0.05, 5.7, 2.4784713087006116 }, { 0.05, 10, 2.228138851986274 },
        { 0.05, 30, 2.042272456301238 }, { 0.05, 63.9, 1.9977898666307267 },
        { 0.05, 1000, 1.962339080826411 }, { 0.5, 1, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_close(student_quantile(cases[i].p, cases[i].nu), cases[i].t, cases[i].t * 1e-13);
        check_close(student_tail(cases[i].t, cases[i].nu), cases[i].p, 1e-13);
    }
    check_close(student_quantile(0.05, 1e7), 1.95996422, 1e-8);
}

static struct summary_estimate estimate(double mean, double sd, int64_t n)
{
    return (struct summary_estimate){ .mean = mean, .sd = sd, .n = n };
}

/* Both sd 2 and n 8: s = 1, 14 degrees of freedom, as in the test for equal variances. */
static void welch(void **state)
{
    struct summary_estimate first = estimate(1, 2, 8), second = estimate(3, 2, 8);
    struct summary_estimate one = estimate(3, NAN, 1), still = estimate(3, 0, 8);
    struct contrast x = contrast_of(&first, &second);

    (void)state;
    check_close(x.difference, 2, 0);
    check_close(x.low, 2 - 2.1447866879169273, 1e-12);
    check_close(x.high, 2 + 2.1447866879169273, 1e-12);
    check_close(x.p, student_tail(2, 14), 1e-15);
    x = contrast_of(&first, &one);
    assert_true(x.difference == 2 && isnan(x.low) && isnan(x.p));
    x = contrast_of(&still, &still);
    assert_true(x.difference == 0 && isnan(x.low) && isnan(x.p));
    x = contrast_of(&first, &still);    /* 7 degrees of freedom, s = 2 / sqrt(8) */
    check_close(x.high - x.difference, 2.3646242515927849 / sqrt(2), 1e-12);
}

static void permutations(void **state)
{
    const double one[] = { 1, 2, NAN }, other[] = { 3, 4, 5 }, same[] = { 1, 1, 1 };
    double many[CONTRAST_FEW];

    (void)state;
    /* Of the 10 ways only the given one has a difference of 2.5; parting off { 4, 5 } gives
       the same size, the other way round. */
    check_close(contrast_exact(one, 3, other, 3), 2 / 10.0, 0);
    check_close(contrast_exact(same, 3, same, 3), 1, 0);
    check_close(contrast_exact(one, 1, other, 1), 1, 0);
    assert_true(isnan(contrast_exact(one + 2, 1, other, 3)));
    for (int i = 0; i < CONTRAST_FEW; i++)
        many[i] = i;
    /* 10 of 20: the least and the greatest sum, of 184,756 */
    check_close(contrast_exact(many, 10, many + 10, 10), 2 / 184756.0, 1e-18);
    check_close(contrast_exact(many, 1, many + 1, 19), 2 / 20.0, 1e-15);
}

/* Benjamini and Hochberg's steps, with one number that has no p. */
static void adjusted(void **state)
{
    struct contrast x[] = { { .p = 0.04 }, { .p = NAN, .q = NAN }, { .p = 0.01 }, { .p = 0.03 },
                            { .p = 0.9 } };
    struct contrast *all[] = { &x[0], &x[1], &x[2], &x[3], &x[4] };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    contrast_adjust(&a, all, 5);
    check_close(x[2].q, 0.04, 1e-15);
    check_close(x[3].q, 0.04 * 4 / 3, 1e-15);
    check_close(x[0].q, 0.04 * 4 / 3, 1e-15);
    check_close(x[4].q, 0.9, 1e-15);
    assert_true(isnan(x[1].q));
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms), cmocka_unit_test(against_tables),
        cmocka_unit_test(welch), cmocka_unit_test(permutations), cmocka_unit_test(adjusted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
