/* SPDX-License-Identifier: MIT
 * Mixture of experts: the mlp of each row is a sum of the experts that a router chooses. */
#ifndef RUN_EXPERTS_H
#define RUN_EXPERTS_H

#include "run/pass.h"

/* out[n, D] = the weighted sum of the chosen experts, plus the shared one, for rows a[n, D]; out
 * may be a. */
void experts_sum(struct pass *pass, const struct layer_plan *plan, float *out,
                 const float *a, int n);

#endif
