/* SPDX-License-Identifier: MIT
 * Mixture of experts: each row goes to the experts that the router prefers. */
#ifndef RUN_EXPERTS_H
#define RUN_EXPERTS_H

#include "run/pass.h"

/* out[n, D] = the chosen experts' sum, and the shared one, for n rows a of D; out may
 * be a. */
void experts_sum(struct pass *p, const struct layer_plan *plan, float *out,
                 const float *a, int n);

#endif
