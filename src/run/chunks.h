/* SPDX-License-Identifier: MIT
 * Layers that attend in chunks: which chunk each token of each head is in, by its
 * position or by what its query hashes to. */
#ifndef RUN_CHUNKS_H
#define RUN_CHUNKS_H

#include "run/heads.h"
#include "run/pass.h"

/* p->rotation: random rotations that the texts need, from the config's seed. */
void chunks_draw_rotations(struct pass *p);

/* Errors (ERR_INPUT): the rotations given, if any, do not fit a text of n tokens. */
int chunks_check_rotations(const struct model *m, const struct rotations *r, int n_tokens,
                           struct err *e);

/* What *h hides and adds in a layer that attends in chunks, read from p->qkv; of p->call. */
void chunks_set(struct pass *p, const struct layer_plan *plan, struct heads *h);

/* The bytes that chunks take for a text of n tokens. */
double chunks_memory(const struct model *m, int n_tokens);

#endif
