/* SPDX-License-Identifier: MIT
 *
 * Student's t distribution, for intervals of means and differences of means.  Results are
 * the same bits everywhere (base/elementary.h).  Relative errors are below 1e-13 for up to
 * 1,000 degrees of freedom, and below 1e-9 beyond. */
#ifndef ANALYSIS_STUDENT_H
#define ANALYSIS_STUDENT_H

/*
 * P(|T| >= t) with nu degrees of freedom, nu > 0 (not only whole numbers):
 *
 *     I_x(nu / 2, 1 / 2),  x = nu / (nu + t^2)
 *
 * with I the regularised incomplete beta function.  In [0, 1]; NaN for a NaN.
 * Source: Abramowitz and Stegun 1964, 26.5.8 (its continued fraction), 26.7.1.
 */
double student_tail(double t, double nu);

/* The t > 0 with P(|T| >= t) = p, 0 < p < 1: 0.05 for a 95 % interval. */
double student_quantile(double p, double nu);

#endif
