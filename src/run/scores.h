/* SPDX-License-Identifier: MIT
 * Scores of attention before the softmax, from what a tap is shown. */
#ifndef RUN_SCORES_H
#define RUN_SCORES_H

#include "run/run.h"

/*
 * score[n_rows, S] = q.k of rows row0 .. of head h with all keys, and nothing else: unscaled,
 * of hidden keys too.
 */
void scores_products(float *score, const struct qkv_view *view, int h, int row0, int n_rows,
                     struct arena *scratch);

/*
 * score[T, S] = what the softmax of head h reads: scale q.k, capped where the model caps,
 * with what position and mask add; -inf where a key is hidden.
 */
void scores_of_head(float *score, const struct qkv_view *view, int h,
                    struct arena *scratch);

#endif
