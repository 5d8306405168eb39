/* SPDX-License-Identifier: MIT
 * Eigenvalues of real matrices that need not be symmetric. */
#ifndef ANALYSIS_EIGEN_H
#define ANALYSIS_EIGEN_H

#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct eigenvalue {
    double re, im;
};

/*
 * value[n] = the eigenvalues of a[n, n], in no order; a is overwritten.  Householder's
 * reduction to Hessenberg form, then QR steps with two shifts, about 10 n^3 operations.
 * Errors are of the size of the largest entries: an eigenvalue that is far smaller has fewer
 * digits.  false: a number is not finite, or the steps do not converge.
 * Source: Golub and Van Loan, Matrix Computations, 7.4 and 7.5; EISPACK, hqr (the first column of
 * a step, the unusual shifts).
 */
bool eigen_values(struct eigenvalue *value, double *a, int n);

/* Marks a number that eigen_values failed to compute, unlike NaN, which is undefined. */
#define EIGEN_MISSED HUGE_VAL

/*
 * The sum of the real parts of the eigenvalues of a[n, n], which is overwritten, over the sum of
 * their magnitudes, in [-1, 1]; NaN if all are 0; EIGEN_MISSED if the computation failed.
 */
double eigen_share(double *a, int n, struct arena *scratch);

/* Replaces all EIGEN_MISSED among x[L, H], the number `name` of heads, by NaN, with one warning. */
void eigen_warn(double *x, int L, int H, const char *name, const struct warn *warn);

#endif
