/* SPDX-License-Identifier: MIT
 * Scores of attention, as a tap may want to see them. */
#ifndef RUN_SCORES_H
#define RUN_SCORES_H

#include "run/run.h"

/*
 * score[T, S] = what the softmax of head h reads: q k scaled, with what position and mask
 * add, capped where the model caps; -inf where a key is hidden.
 */
void scores_of_head(float *score, const struct qkv_view *view, int h,
                    struct arena *scratch);

#endif
