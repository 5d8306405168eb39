/* SPDX-License-Identifier: MIT
 * Scores of attention before the softmax, from the view that a tap gets. */
#ifndef RUN_SCORES_H
#define RUN_SCORES_H

#include "run/run.h"

/*
 * score[n_rows, S] = q.k of rows row0 .. of head h with all keys, hidden ones too; unscaled,
 * without other terms.
 */
void scores_products(float *score, const struct qkv_view *view, int h, int row0, int n_rows,
                     struct arena *scratch);

/*
 * score[T, S] = the input of the softmax of head h: scale q.k, capped if the model caps, plus the
 * terms of positions and mask; -inf for hidden keys.
 */
void scores_of_head(float *score, const struct qkv_view *view, int h,
                    struct arena *scratch);

#endif
