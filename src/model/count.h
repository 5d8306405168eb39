/* SPDX-License-Identifier: MIT
 *
 * The parameters of a model, counted as they are stored: shared ones once, weights and
 * biases apart. */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include "model/model.h"

struct count {
    int64_t weights, biases;
};

/* "embeddings", "attention", "cross", "mixers", "mlp", "norms", "head", NULL */
enum { N_COUNT_PART = 7 };
extern const char *const count_parts[];

/* One part of the model, and of the decoder after its encoder. */
struct count count_part(const struct model *m, const char *part);

/* Whether a report names the part: of a bare layer, cross and mixers, only where it is there. */
bool count_has_part(const struct model *m, const char *part);

/*
 * The first and the last slot of the projections of the model's first attention: a layer's
 * own, or the one to another input where that is all there is.
 */
enum slot count_first(const struct model *m);
enum slot count_last(const struct model *m);

/* The projections of that attention. */
struct count count_attention(const struct model *m);

/* Whether each head has rows of its own in the projections of queries, keys and values. */
bool count_has_head(const struct model *m);

/* The weights that make one head's queries, keys and values, where each has its own. */
int64_t count_head(const struct model *m);

#endif
