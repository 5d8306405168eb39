/* SPDX-License-Identifier: MIT
 * The residual stream -> queries, keys and values of self-attention. */
#ifndef RUN_PROJECT_H
#define RUN_PROJECT_H

#include <stdint.h>

#include "run/pass.h"

/*
 * p->qkv = queries, keys and values of a layer from p->a, normed and rotated.  values false: values
 * are not read, and not computed where that saves work.
 */
void project_self(struct pass *p, const struct layer_plan *plan, bool values);

/* Allocates p->kept, if layers share keys and values. */
void project_room(struct pass *p);

/* p->qkv[N, width] = the batch's values, which already are queries, keys and values: FRONT_QKV. */
void project_given(struct pass *p, int64_t width);

#endif
