/* SPDX-License-Identifier: MIT
 * Cross-attention: memory -> keys and values, their masks and checks. */
#ifndef RUN_CROSS_H
#define RUN_CROSS_H

#include "run/pass.h"

/*
 * [texts + 1] index of each text's first key in pass->memory_kv, counting the learned extra key
 * that some models append; NULL: no memory.
 */
const int *cross_key_start(struct pass *pass);

/* How many of S keys a mask covers: all but the learned extra key. */
int cross_masked_keys(const struct pass *pass, enum stack_id stack, int S);

/* The user's mask of cross-attention; in a layer without self-attention that of --mask; NULL if
 * none. */
const struct mask *cross_mask(const struct pass *pass);

/* Checks that the memory fits text t and the model.  Errors: ERR_INPUT. */
int cross_check(const struct pass *pass, int t, struct err *e);

/* Computes queries from pass->a into pass->qkv, and keys and values from the memory, if the pass
 * has it, into pass->memory_kv. */
void cross_project(struct pass *pass, const struct layer_plan *plan);

#endif
