/* SPDX-License-Identifier: MIT
 * The mlp of a layer: up, activation, down; gated or not, fused or not. */
#ifndef RUN_MLP_H
#define RUN_MLP_H

#include "run/pass.h"

/* x = x + mlp(x), with its norms; one mlp, or the experts that each row chooses. */
void mlp_add(struct pass *p, const struct layer_plan *plan);

#endif
