/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> means over the heads of each layer, over the layers of each head, or over
 * all heads of all layers. */
#ifndef ANALYSIS_AVERAGE_H
#define ANALYSIS_AVERAGE_H

#include "base/arena.h"
#include "run/run.h"

enum average_over { OVER_HEADS, OVER_LAYERS, OVER_BOTH };

struct average;

/* For one text of n_queries x n_keys tokens, over the layers and heads of want; with one more in
 * n_keys, the last column is the weight of the model's attention sink. */
struct average *average_new(struct arena *a, const struct model *m, const struct wanted *want,
                            enum average_over over, int n_queries, int n_keys);
struct sink average_sink(struct average *average);

/*
 * After the pass, [n_queries, n_keys] of layer i, or over layers of head i, which must be wanted;
 * over both, i is 0.  The sum of the weights divided by the number of wanted heads, or layers; a
 * key hidden in one of them counts as 0 there, and is NaN if hidden in all.  Valid until the next
 * call.
 */
const float *average_of(const struct average *average, int i);

#endif
