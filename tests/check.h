/* SPDX-License-Identifier: MIT
 * What every test program includes first: cmocka with the headers that it requires, and
 * checks of numbers that name the worst element. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

/* The pair of numbers furthest apart of those seen; starts as { 0 }. */
struct check_worst {
    long long i;
    double got, expected, off;      /* off: |got - expected|; a NaN is worse than all */
};

static inline void check_see(struct check_worst *worst, long long i, double got,
                             double expected)
{
    double off = fabs(got - expected);

    if (!(off <= worst->off) && !isnan(worst->off))
        *worst = (struct check_worst){ i, got, expected, off };
}

/* Fails if the worst pair is further apart than `tolerance`, absolute. */
static inline void check_within(const struct check_worst *worst, const char *what,
                                double tolerance)
{
    if (!(worst->off <= tolerance))
        fail_msg("%s [%lld]: %.9g, expected %.9g, off by %.3g > %.3g", what, worst->i,
                 worst->got, worst->expected, worst->off, tolerance);
}

/* One number; `i` says which of many it is. */
static inline void check_near(const char *what, long long i, double got, double expected,
                              double tolerance)
{
    struct check_worst worst = { 0 };

    check_see(&worst, i, got, expected);
    check_within(&worst, what, tolerance);
}

/* One number, named by its expression. */
#define check_close(got, expected, tolerance) check_near(#got, 0, got, expected, tolerance)

/* n numbers each. */
static inline void check_floats(const char *what, const float *got, const float *expected,
                                long long n, double tolerance)
{
    struct check_worst worst = { 0 };

    for (long long i = 0; i < n; i++)
        check_see(&worst, i, (double)got[i], (double)expected[i]);
    check_within(&worst, what, tolerance);
}

static inline void check_doubles(const char *what, const float *got, const double *expected,
                                 long long n, double tolerance)
{
    struct check_worst worst = { 0 };

    for (long long i = 0; i < n; i++)
        check_see(&worst, i, (double)got[i], expected[i]);
    check_within(&worst, what, tolerance);
}

#endif
