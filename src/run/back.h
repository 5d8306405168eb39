/* SPDX-License-Identifier: MIT
 *
 * Transposed steps of a pass, for attribution: the coefficients of a linear function of a step's
 * output -> those of the same function of its input.  In double; norms keep the scale of the pass,
 * so that they are linear, too. */
#ifndef RUN_BACK_H
#define RUN_BACK_H

#include "run/run.h"

/* out[K] = sum over n of y[n] w[n][k]: y . (w x) is out . x.  Scratch for one stored row. */
void back_linear(double *out, const struct param *w, const double *y, struct arena *scratch);

/* out[N] = w x + bias, forwards. */
void back_forward(double *out, const struct param *w, const float *x, struct arena *scratch);

/*
 * y[D] = P (gain y) / c, in place, for a norm gain (P x / c) + bias: P subtracts the mean, or is
 * the identity for an RMS norm; c is the norm's scale at x[D].  Without a norm y is unchanged.
 */
void back_norm(double *y, const struct model *model, const struct param *norm, const double *x,
               int D);

/* x . y of n numbers; 0 where x is NULL. */
double back_dot(const float *x, const double *y, int n);

#endif
