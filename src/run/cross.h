/* SPDX-License-Identifier: MIT
 * Another input -> the keys and values of cross-attention. */
#ifndef RUN_CROSS_H
#define RUN_CROSS_H

#include "run/pass.h"

/*
 * [texts + 1] where the keys of each text begin in p->memory_kv, counting the key that
 * only the model has; NULL: no memory.
 */
const int *cross_key_start(struct pass *p);

/* Of S keys, how many a mask is about: not the one that only the model has. */
int cross_masked_keys(const struct pass *p, enum stack_id stack, int S);

/* The user's mask of cross-attention, or, in a layer that has no other attention, that
 * of --mask; NULL: none. */
const struct mask *cross_mask(const struct pass *p);

/* The memory fits text t and the model.  Errors: ERR_INPUT. */
int cross_check(const struct pass *p, int t, struct err *e);

/* Queries from p->a to p->qkv; keys and values from the memory, where it is given, to
 * p->memory_kv. */
void cross_project(struct pass *p, const struct layer_plan *plan);

#endif
