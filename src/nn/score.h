/* SPDX-License-Identifier: MIT
 *
 * Products of queries and keys -> scores: scaled, capped, with what the model and the
 * user's mask add.  The one place where the order of these steps is decided. */
#ifndef NN_SCORE_H
#define NN_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/attend.h"

/*
 * The score of a key that is hidden by itself is SCORE_LEAST: far below any other, so
 * that its weight is 0, and finite, so that the sums of the row are.  A score below
 * SCORE_HIDDEN is that of a hidden key.
 */
#define SCORE_LEAST (-1e38f)
#define SCORE_HIDDEN (-1e37f)

/* True if something is added to scores: by position, by content or by a mask. */
bool score_has_terms(const struct attend *at);

/*
 * Caps scores that are scaled already, then adds the terms in their order:
 * score[t * stride + j] belongs to row row0 + t and key key0 + j.
 */
void score_terms(const struct attend *at, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys);

/*
 * Products q.k of a block -> its scores: scale, cap and terms.  Keys that at->hidden
 * hides get SCORE_LEAST; those beyond lo and hi are left to the softmax.
 */
void score_block(const struct attend *at, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys);

/* The keys [0, n_keys) of row t of the block that at->hidden hides get value. */
void score_hide(const struct attend *at, float *row, int t, int n_keys, float value);

#endif
