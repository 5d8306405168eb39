/* SPDX-License-Identifier: MIT
 * The mlp of a layer: up, activation, down; gated or not, fused or not. */
#ifndef RUN_MLP_H
#define RUN_MLP_H

#include "run/pass.h"

/* x = x + mlp(x), with its norms; a single mlp, or the experts that each row is routed to; then the
 * adapter of the model's language, if it has one. */
void mlp_add(struct pass *pass, const struct layer_plan *plan);

/* Columns of p->up. */
int64_t mlp_width(const struct model *model);

#endif
