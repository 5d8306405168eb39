/* SPDX-License-Identifier: MIT
 * Spectral norms of heads, which bound their scores, from weights alone. */
#ifndef ANALYSIS_SPECTRAL_H
#define ANALYSIS_SPECTRAL_H

#include "base/err.h"
#include "base/par.h"
#include "run/run.h"

/*
 * [layers, heads] in arena a: the largest singular value of scale W_Q W_K^T of each head of model,
 * with weights folded by fold.h; NULL if they cannot be folded.  A head whose norm cannot be
 * computed is NaN, with a warning.
 */
const double *spectral_of(struct arena *a, const struct model *model, struct par *par,
                          const struct warn *warn);

#endif
