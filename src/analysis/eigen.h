/* SPDX-License-Identifier: MIT
 * Eigenvalues of real matrices that need not be symmetric. */
#ifndef ANALYSIS_EIGEN_H
#define ANALYSIS_EIGEN_H

#include <stdbool.h>

#include "base/arena.h"

struct eigenvalue {
    double re, im;
};

/*
 * value[n] = the eigenvalues of a[n, n], in no order; a is overwritten.  Householder's
 * reduction to Hessenberg form, then QR steps with two shifts, about 10 n^3 operations.
 * false: a number is not finite, or the steps do not converge.
 * Source: Golub and Van Loan, Matrix Computations, 7.4 and 7.5.
 */
bool eigen_values(struct eigenvalue *value, double *a, int n);

/*
 * The sum of the real parts of the eigenvalues of a[n, n], which is overwritten, over the sum of
 * their magnitudes, in [-1, 1]; NaN: all are 0, or there is none to be had.
 */
double eigen_share(double *a, int n, struct arena *scratch);

#endif
