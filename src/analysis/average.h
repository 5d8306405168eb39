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

/* For one text of n_queries x n_keys tokens, of the layers and heads of want; n_keys of one more:
 * the last column is what a sink of the model takes that is not a key. */
struct average *average_new(struct arena *a, const struct model *m, const struct wanted *want,
                            enum average_over over, int n_queries, int n_keys);
struct sink average_sink(struct average *average);

/*
 * After the pass, [n_queries, n_keys] of a layer or, over layers, of a head that is wanted; over
 * both, i is 0: the sum of the weights divided by the number of heads, or layers, that are wanted;
 * a key that one of them hides counts as 0 there, NaN where all do.  Valid until the next call.
 */
const float *average_of(const struct average *average, int i);

#endif
