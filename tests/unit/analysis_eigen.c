/* SPDX-License-Identifier: MIT
 * Eigenvalues of matrices whose eigenvalues are known, and sums that hold for any. */
#include "check.h"

#include <math.h>
#include <stdio.h>

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

/* ---- matrices of structured heads ---- */

static double around_0(struct rng *rng)
{
    return 2 * rng_uniform(rng) - 1;
}

/* v[rows, columns] of orthonormal columns, rounded to 32 bits as weights are. */
static void orthonormal(double *v, int rows, int columns, struct rng *rng)
{
    for (int j = 0; j < columns; j++) {
        double squares = 0;

        for (int i = 0; i < rows; i++)
            v[i * columns + j] = around_0(rng);
        for (int k = 0; k < 2 * j; k++) {       /* twice, for the digits */
            double dot = 0;

            for (int i = 0; i < rows; i++)
                dot += v[i * columns + j] * v[i * columns + k % j];
            for (int i = 0; i < rows; i++)
                v[i * columns + j] -= dot * v[i * columns + k % j];
        }
        for (int i = 0; i < rows; i++)
            squares += v[i * columns + j] * v[i * columns + j];
        for (int i = 0; i < rows; i++)
            v[i * columns + j] /= sqrt(squares);
    }
    for (int i = 0; i < rows * columns; i++)
        v[i] = (double)(float)v[i];
}

/* a[n, n] = x^T y of x, y[rows, n] */
static void product(double *a, const double *x, const double *y, int rows, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = 0;
            for (int k = 0; k < rows; k++)
                a[i * n + j] += x[k * n + i] * y[k * n + j];
        }
}

/* a[n, n] = q b q^T; b is overwritten. */
static void turned(double *a, double *b, const double *q, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                a[i * n + j] += q[i * n + k] * b[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            b[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                b[i * n + j] += a[i * n + k] * q[j * n + k];
        }
    for (int i = 0; i < n * n; i++)
        a[i] = b[i];
}

enum { WIDE = 256 };

struct square_room {
    double a[MOST * MOST], b[MOST * MOST], v[WIDE * MOST], q[MOST * MOST];
    struct arena arena;
    struct rng rng;
};

static void share_is(struct square_room *r, int n, double want, double tol)
{
    check_close(eigen_share(r->a, n, &r->arena), want, tol);
}

/* W_O = s W_V^T of orthonormal W_V: the head that copies or denies perfectly. */
static void multiples_of_one(struct square_room *r, int n)
{
    static const double scales[] = { 1, -1, 1e-3, -40 };

    for (int rows = MOST; rows <= WIDE; rows *= 4)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            orthonormal(r->v, rows, n, &r->rng);
            product(r->a, r->v, r->v, rows, n);
            for (int i = 0; i < n * n; i++)
                r->a[i] *= scales[s];
            share_is(r, n, scales[s] > 0 ? 1 : -1, 1e-12);
        }
    for (double noise = 1e-15; noise < 1e-5; noise *= 100) {
        for (int i = 0; i < n * n; i++)
            r->a[i] = (i % (n + 1) == 0) + noise * around_0(&r->rng);
        share_is(r, n, 1, 1e-8);
    }
}

/* Half of the space as it is, the other half lost or turned to its negative. */
static void blocks_of_one(struct square_room *r, int n, double rest, double want)
{
    orthonormal(r->q, n, n, &r->rng);
    for (int i = 0; i < n * n; i++)
        r->b[i] = i % (n + 1) != 0 ? 0 : i / n < n / 2 ? 1 : rest;
    for (int i = 0; i < n * n; i++)
        r->a[i] = r->b[i];
    share_is(r, n, want, 1e-12);
    turned(r->a, r->b, r->q, n);
    share_is(r, n, want, 1e-6);     /* what is lost is only so near to 0 in 32 bits */
}

static void rank_one(struct square_room *r, int n, double sign)
{
    for (int i = 0; i < 2 * n; i++)
        r->v[i] = around_0(&r->rng);
    for (int i = 0; i < n; i++)         /* no right angle between them */
        r->v[n + i] = (double)(float)(sign * r->v[i] + r->v[n + i] / 4);
    for (int i = 0; i < n * n; i++)
        r->a[i] = r->v[i / n] * r->v[n + i % n];
    share_is(r, n, sign, 1e-12);
}

/* A corner of one number, however small: what rounding leaves of the rest is smaller by 1e-16 from
 * row to row, so that its squares are soon 0. */
static void one_number(struct square_room *r, int n)
{
    for (double scale = 1; scale > 1e-31; scale *= 1e-6) {
        for (int i = 0; i < n * n; i++)
            r->a[i] = i / n < n / 2 && i % n < n / 2 ? -0.7 * scale : 0;
        share_is(r, n, -1, 1e-12);
    }
}

/* All eigenvalues are 0 before W is rounded: then they are whatever rounding makes of them. */
static void nilpotent(struct square_room *r, int n)
{
    orthonormal(r->q, n, n, &r->rng);
    for (int i = 0; i < n * n; i++)
        r->b[i] = i / n < n / 2 && i % n == i / n + n / 2;
    turned(r->a, r->b, r->q, n);
    assert_true(eigen_share(r->a, n, &r->arena) != EIGEN_MISSED);
    for (int i = 0; i < n * n; i++)
        r->a[i] = i % n > i / n;
    assert_true(isnan(eigen_share(r->a, n, &r->arena)));
}

/* Turns by one angle: eigenvalues 0.6 +- 0.8 i, n / 2 times. */
static void turns(struct square_room *r, int n)
{
    orthonormal(r->q, n, n, &r->rng);
    for (int i = 0; i < n * n; i++)
        r->b[i] = i / n == i % n ? .6 : i / n / 2 != i % n / 2 ? 0 : i / n < i % n ? .8 : -.8;
    turned(r->a, r->b, r->q, n);
    share_is(r, n, .6, 1e-6);
}

/* Of these 47 of 140 had no value where the shifts were taken from sums of products. */
static void structured(void **state)
{
    static struct square_room r;

    (void)state;
    arena_init(&r.arena, NULL, NULL);
    rng_seed(&r.rng, 7);
    for (int n = 2; n <= MOST; n *= 2) {
        multiples_of_one(&r, n);
        blocks_of_one(&r, n, 0, 1);
        blocks_of_one(&r, n, -1, 0);
        rank_one(&r, n, 1);
        rank_one(&r, n, -1);
        one_number(&r, n);
        nilpotent(&r, n);
        turns(&r, n);
    }
    arena_finish(&r.arena);
}

/* ---- what is not computed ---- */

static void keep(void *self, const char *msg)
{
    char *to = self;

    snprintf(to, 200, "%s", msg);
}

static void missed(void **state)
{
    double x[] = { .5, EIGEN_MISSED, NAN, -1 }, two[] = { EIGEN_MISSED, EIGEN_MISSED };
    char said[200] = "";
    const struct warn warn = { keep, said };

    (void)state;
    eigen_warn(x, 2, 2, "copy", &warn);
    assert_string_equal(said, "copy of L0H1 is not computed: no eigenvalues were found of its "
                        "weights, which are not finite or do not converge");
    assert_true(x[0] == .5 && isnan(x[1]) && isnan(x[2]) && x[3] == -1);
    said[0] = '\0';
    eigen_warn(x, 2, 2, "copy", &warn);
    assert_string_equal(said, "");
    eigen_warn(two, 1, 2, "spectral", &warn);
    assert_memory_equal(said, "spectral of L0H0 and others is not", 34);
}

static void not_finite(void **state)
{
    struct eigenvalue value[2];
    double a[] = { 1, NAN, 0, 1 };
    struct arena arena;

    (void)state;
    assert_false(eigen_values(value, a, 2));
    a[1] = INFINITY;
    arena_init(&arena, NULL, NULL);
    assert_true(eigen_share(a, 2, &arena) == EIGEN_MISSED);
    arena_finish(&arena);
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
        cmocka_unit_test(share), cmocka_unit_test(structured), cmocka_unit_test(missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
