/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> means over the heads of each layer, over the layers of each head, over both,
 * or over texts; and such means as rows, for sinks that know no difference. */
#ifndef ANALYSIS_AVERAGE_H
#define ANALYSIS_AVERAGE_H

#include "base/arena.h"
#include "run/run.h"

/* What one map is the mean of: a set of these. */
enum average_over { AVERAGE_HEADS = 1, AVERAGE_LAYERS = 2, AVERAGE_TEXTS = 4 };

/* The size of the maps of a text; with_sink: a column more, of what a sink of the model takes that
 * is not a key. */
struct average_size {
    int n_queries, n_keys;
    bool with_sink;
    bool with_single;           /* rows also have the weights of one copy of each key */
};

struct average;

/* Of the layers and heads of want, for a pass over n_texts texts of these sizes. */
struct average *average_new(struct arena *a, const struct model *model, const struct wanted *want,
                            unsigned over, const struct average_size *size, int n_texts);
struct sink average_sink(struct average *average);

/* Sums like those of text 0 of `of`, of no text so far: for average_add. */
struct average *average_texts_new(struct arena *a, const struct average *of);

/* After the pass of `of`: adds its means of text 0, which has the size of `to`. */
void average_add(struct average *to, const struct average *of);

/*
 * After the pass, hands the means of a text to sinks, one row at a time, as rows of a model with
 * one head, where heads are averaged, or one layer, or both; want: of that model.  A weight is the
 * sum of the weights divided by the number of heads, layers and texts; a key that one of them hides
 * counts as 0 there, and is hidden where all hide it.  The entropy is that of the mean.  Memory is
 * of a.
 */
void average_feed(const struct average *average, int text, struct arena *a, int stack,
                  const struct wanted *want, const struct sink *sinks, int n_sinks);

/* Bytes of the sums of a text of this size, for n_layers layers of n_heads heads. */
double average_bytes(unsigned over, const struct average_size *size, int n_layers, int n_heads);

#endif
