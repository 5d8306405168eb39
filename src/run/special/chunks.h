/* SPDX-License-Identifier: MIT
 * Chunked attention (Reformer): the chunk of each token of each head, by its position (local) or by
 * the hash of its query (LSH). */
#ifndef RUN_CHUNKS_H
#define RUN_CHUNKS_H

#include "run/heads.h"
#include "run/pass.h"

/* Sets pass->rotation: the random rotations that the texts require, from the config's seed. */
void chunks_draw_rotations(struct pass *pass);

/* Errors (ERR_INPUT): the rotations given, if any, do not fit a text of n tokens. */
int chunks_check_rotations(const struct model *model, const struct rotations *rotations,
                           int n_tokens, struct err *e);

/* Sets what *heads hides and adds in a layer with chunks, from pass->qkv; allocated in
 * pass->call. */
void chunks_set(struct pass *pass, const struct layer_plan *plan, struct heads *heads);

/* The bytes that chunks take for a text of n tokens. */
double chunks_memory(const struct model *model, int n_tokens);

#endif
