/* SPDX-License-Identifier: MIT
 * The residual stream -> queries, keys and values of self-attention. */
#ifndef RUN_PROJECT_H
#define RUN_PROJECT_H

#include <stdint.h>

#include "run/pass.h"

/*
 * pass->qkv = queries, keys and values of a layer from pass->a, normed and rotated.  values false:
 * values are not read, and not computed where that saves work.
 */
void project_self(struct pass *pass, const struct layer_plan *plan, bool values);

/* Allocates pass->kept, if layers share keys and values. */
void project_room(struct pass *pass);

/* pass->qkv[N, width] = the batch's values, which already are queries, keys and values:
 * FRONT_QKV. */
void project_given(struct pass *pass, int64_t width);

#endif
