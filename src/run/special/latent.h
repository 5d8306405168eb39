/* SPDX-License-Identifier: MIT
 * Multi-head latent attention (DeepSeek): queries, keys and values through low-rank projections. */
#ifndef RUN_LATENT_H
#define RUN_LATENT_H

#include "run/pass.h"

/* pass->qkv = queries, keys and values of a layer from pass->a, in the layout of other families. */
void latent_project(struct pass *pass, const struct layer_plan *plan);

/* Floats of scratch memory for n tokens; 0 for families without latent attention. */
size_t latent_room(const struct model *model, int n_tokens);

#endif
