/* SPDX-License-Identifier: MIT
 *
 * A linear function of what comes out of a step of the pass -> the same function of what goes
 * in.  In double; norms with the scale that they had, so that they are linear too. */
#ifndef RUN_BACK_H
#define RUN_BACK_H

#include "run/run.h"

/* out[K] = sum over n of y[n] w[n][k]: y . (w x) is out . x.  Scratch for one stored row. */
void back_linear(double *out, const struct param *w, const double *y, struct arena *scratch);

/* out[N] = w x + bias, forwards. */
void back_forward(double *out, const struct param *w, const float *x, struct arena *scratch);

/*
 * y[D] = P (gain y) / c, in place, where the norm makes gain (P x / c) + bias of x: P takes
 * the mean away, but not of an RMS norm; c is its scale at x[D].  A norm that is not there
 * leaves y.
 */
void back_norm(double *y, const struct model *m, const struct param *norm, const double *x,
               int D);

/* x . y of n numbers; 0 where x is NULL. */
double back_dot(const float *x, const double *y, int n);

#endif
