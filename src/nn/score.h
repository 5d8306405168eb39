/* SPDX-License-Identifier: MIT
 *
 * Products of queries and keys -> scores: scaled, capped, plus the terms of the model and of
 * the user's mask.  Only here the order of these steps is decided. */
#ifndef NN_SCORE_H
#define NN_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/attend.h"

/*
 * SCORE_LEAST is the score of a key hidden by at->hidden: far below any other, so that its
 * weight is 0, and finite, so that the sums of the row are, too.  Scores below SCORE_HIDDEN
 * belong to hidden keys.
 */
#define SCORE_LEAST (-1e38f)
#define SCORE_HIDDEN (-1e37f)

/* True if there are terms of scores: by position, by content or by a mask. */
bool score_has_terms(const struct attend *attend);

/*
 * Caps scaled scores, then adds the terms in order: score[t * stride + j] belongs to row
 * row0 + t and key key0 + j.
 */
void score_terms(const struct attend *attend, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys);

/*
 * Products q.k of a block -> its scores: scale, cap and terms.  Keys hidden by attend->hidden
 * get SCORE_LEAST; those outside lo and hi are masked by the softmax.
 */
void score_block(const struct attend *attend, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys);

/* Sets the scores of keys in [0, n_keys) that attend->hidden hides in row t of the block to
 * value. */
void score_hide(const struct attend *attend, float *row, int t, int n_keys, float value);

#endif
