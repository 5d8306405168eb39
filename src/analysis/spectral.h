/* SPDX-License-Identifier: MIT
 * How far a head can tell tokens apart, by its weights alone. */
#ifndef ANALYSIS_SPECTRAL_H
#define ANALYSIS_SPECTRAL_H

#include "base/err.h"
#include "base/par.h"
#include "run/run.h"

/*
 * [layers, heads] of a: the largest singular value of scale W_Q W_K^T of each head of m, with
 * weights as run/fold.h folds them, which bounds scores; NULL: they cannot be folded.  A head
 * whose norm is not computed is NaN, and warned of.
 */
const double *spectral_of(struct arena *a, const struct model *m, struct par *par,
                          const struct warn *warn);

#endif
