/* SPDX-License-Identifier: MIT
 * What rows see besides a window, or instead of one: tokens that are global (Longformer),
 * and blocks of keys (BigBird). */
#ifndef RUN_SPARSE_H
#define RUN_SPARSE_H

#include "run/heads.h"
#include "run/pass.h"

/* Room for the projections of global rows, and copies of keys, if the batch needs any. */
void sparse_room(struct pass *p);

/* What the rows of a layer see besides lo and hi, or instead: global tokens, with their
 * projections from p->a; blocks of keys. */
void sparse_set(struct pass *p, const struct layer_plan *plan, struct heads *h);

#endif
