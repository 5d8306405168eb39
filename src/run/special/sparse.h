/* SPDX-License-Identifier: MIT
 * Sparse attention: windows with global tokens (Longformer), and blocks of keys (BigBird). */
#ifndef RUN_SPARSE_H
#define RUN_SPARSE_H

#include "run/heads.h"
#include "run/pass.h"

/* Allocates projections of global rows, and counts of keys, if the batch requires them. */
void sparse_room(struct pass *pass);

/* Sets what the rows of a layer see besides the window, or instead: global tokens, whose
 * projections it computes from pass->a; blocks of keys. */
void sparse_set(struct pass *pass, const struct layer_plan *plan, struct heads *heads);

#endif
