/* SPDX-License-Identifier: MIT
 * Rotary position embeddings (RoPE) of queries and keys. */
#ifndef RUN_ROTARY_H
#define RUN_ROTARY_H

#include "run/pass.h"

/* Sets pass->rotary: cosines and sines of the batch's positions. */
void rotary_tables(struct pass *pass);

/* Rotates queries and keys of pass->qkv in place, where the layer has rotary positions. */
void rotary_rotate(struct pass *pass, const struct layer_plan *plan);

#endif
