/* SPDX-License-Identifier: MIT
 * Eigenvalues of matrices whose eigenvalues are known, and sums that hold for any. */
#include "check.h"

#include <math.h>

#include "analysis/eigen.h"
#include "base/rng.h"

enum { MOST = 64 };

/* The eigenvalue that is nearest to re + im i is that, within tol. */
static void has(const struct eigenvalue *value, int n, double re, double im, double tol)
{
    double nearest = INFINITY;

    for (int i = 0; i < n; i++)
        nearest = fmin(nearest, hypot(value[i].re - re, value[i].im - im));
    if (nearest > tol)
        fail_msg("no eigenvalue %g %+gi: the nearest is %g away", re, im, nearest);
}

static void of_one_and_two(void **state)
{
    struct eigenvalue value[2];
    double one[] = { -3 }, turn[] = { 0, -2, 2, 0 }, real[] = { 1, 2, 3, 2 };
    double repeated[] = { 2, 1, 0, 2 }, none[] = { 0, 0, 0, 0 };

    (void)state;
    assert_true(eigen_values(value, one, 1));
    has(value, 1, -3, 0, 0);
    assert_true(eigen_values(value, turn, 2));
    has(value, 2, 0, 2, 0);
    has(value, 2, 0, -2, 0);
    assert_true(eigen_values(value, real, 2));
    has(value, 2, 4, 0, 1e-14);
    has(value, 2, -1, 0, 1e-14);
    assert_true(eigen_values(value, repeated, 2));
    has(value, 2, 2, 0, 1e-14);
    assert_true(eigen_values(value, none, 2));
    assert_true(value[0].re == 0 && value[1].re == 0);
}

/* The companion matrix of (x - 1)(x - 2)(x + 4)(x^2 - 2 x + 5). */
static void roots_of_a_polynomial(void **state)
{
    static const double coefficient[] = { 40, -66, 33, -7, -1 };    /* x^0 .. x^4 */
    struct eigenvalue value[5];
    double a[25] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        a[(i + 1) * 5 + i] = 1;
    for (int i = 0; i < 5; i++)
        a[i * 5 + 4] = -coefficient[i];
    assert_true(eigen_values(value, a, 5));
    has(value, 5, 1, 0, 1e-12);
    has(value, 5, 2, 0, 1e-12);
    has(value, 5, -4, 0, 1e-12);
    has(value, 5, 1, 2, 1e-12);
    has(value, 5, 1, -2, 1e-12);
}

/* A cycle of n: shifts that are not unusual get nowhere. */
static void roots_of_one(void **state)
{
    enum { n = 6 };
    struct eigenvalue value[n];
    double a[n * n] = { 0 };

    (void)state;
    for (int i = 0; i < n; i++)
        a[i * n + (i + 1) % n] = 1;
    assert_true(eigen_values(value, a, n));
    for (int k = 0; k < n; k++)
        has(value, n, cos(2 * acos(-1) * k / n), sin(2 * acos(-1) * k / n), 1e-12);
}

/* Their sum is the trace, that of their squares the trace of the square. */
static void sums(void **state)
{
    struct eigenvalue value[MOST];
    double a[MOST * MOST], trace, squares, sum, sum_squares;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (int n = 1; n <= MOST; n += n < 8 ? 1 : 7) {
        trace = squares = sum = sum_squares = 0;
        for (int i = 0; i < n * n; i++)
            a[i] = 2 * rng_uniform(&rng) - 1;
        for (int i = 0; i < n; i++) {
            trace += a[i * n + i];
            for (int j = 0; j < n; j++)
                squares += a[i * n + j] * a[j * n + i];
        }
        assert_true(eigen_values(value, a, n));
        for (int i = 0; i < n; i++) {
            sum += value[i].re;
            sum_squares += value[i].re * value[i].re - value[i].im * value[i].im;
        }
        assert_true(fabs(sum - trace) < 1e-11 * n && fabs(sum_squares - squares) < 1e-11 * n * n);
    }
}

static void not_finite(void **state)
{
    struct eigenvalue value[2];
    double a[] = { 1, NAN, 0, 1 };

    (void)state;
    assert_false(eigen_values(value, a, 2));
}

/* Eigenvalues 2 and -1: 1 / 3; a turn by 90 degrees: 0. */
static void share(void **state)
{
    double a[] = { 1, 1, 2, 0 }, turn[] = { 0, 1, -1, 0 }, none[4] = { 0 };
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL, NULL);
    assert_true(fabs(eigen_share(a, 2, &arena) - 1. / 3) < 1e-12);
    assert_true(eigen_share(turn, 2, &arena) == 0);
    assert_true(isnan(eigen_share(none, 2, &arena)));
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_and_two), cmocka_unit_test(roots_of_a_polynomial),
        cmocka_unit_test(roots_of_one), cmocka_unit_test(sums), cmocka_unit_test(not_finite),
        cmocka_unit_test(share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
