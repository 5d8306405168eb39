/* SPDX-License-Identifier: MIT
 * Latent attention: queries, keys and values through projections of low rank. */
#ifndef RUN_LATENT_H
#define RUN_LATENT_H

#include "run/pass.h"

/* p->qkv = queries, keys and values of a layer from p->a, laid out as other families'. */
void latent_project(struct pass *p, const struct layer_plan *plan);

/* Floats of room that it takes for n tokens; 0 for other families. */
size_t latent_room(const struct model *m, int n_tokens);

#endif
