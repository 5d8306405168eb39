/* SPDX-License-Identifier: MIT
 * Scores of attention before the softmax, from what a tap is shown. */
#ifndef RUN_SCORES_H
#define RUN_SCORES_H

#include "run/run.h"

/*
 * score[T, S] = what the softmax of head h reads: scale q.k, capped where the model caps,
 * with what position and mask add; -inf where a key is hidden.
 */
void scores_of_head(float *score, const struct qkv_view *view, int h,
                    struct arena *scratch);

#endif
