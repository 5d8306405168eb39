/* SPDX-License-Identifier: MIT
 * Student's t distribution, by the incomplete beta function with one argument 1/2. */
#include "analysis/student.h"

#include <math.h>

#include "base/elementary.h"

/*
 * Gamma(a + 1/2) / Gamma(a): its series for large a, reached by
 * r(a) = r(a + 1) a / (a + 1/2).
 */
static double gamma_ratio(double a)
{
    double factor = 1, u;

    for (; a < 32; a += 1)
        factor *= a / (a + 0.5);
    u = 1 / a;
    return factor * sqrt(a) *
           (1 + u * (-1 / 8.0 + u * (1 / 128.0 + u * (5 / 1024.0 + u * (-21 / 32768.0 +
            u * (-399 / 262144.0 + u * (869 / 4194304.0 + u * (39325 / 33554432.0))))))));
}

/* The continued fraction of I_x(a, b), by Lentz's method; it converges for
 * x < (a + 1) / (a + b + 2). */
static double fraction(double x, double a, double b)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;

    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        f *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        step = d * c;
        f *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return f;
}

double student_tail(double t, double nu)
{
    double a = nu / 2, x, y, front;

    if (isnan(t) || isnan(nu))
        return NAN;
    if (t == 0 || isinf(t))
        return t == 0;
    /* x = nu / (nu + t^2), y = 1 - x; x^a by the logarithm of 1 + t^2 / nu */
    x = 1 / (1 + t / nu * t);
    y = t / nu * t / (1 + t / nu * t);
    front = elementary_exp(-a * elementary_log1p(t / nu * t)) * sqrt(y) * gamma_ratio(a) /
            1.7724538509055160273;      /* sqrt(pi) */
    if (x < (a + 1) / (a + 2.5))
        return front * fraction(x, a, 0.5) / a;
    return 1 - front * fraction(y, 0.5, a) / 0.5;
}

double student_quantile(double p, double nu)
{
    double low = 0, high = 1;

    while (student_tail(high, nu) > p)
        high *= 2;
    for (int i = 0; i < 200; i++) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (student_tail(middle, nu) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}
