/* SPDX-License-Identifier: MIT
 *
 * Counts of a model's parameters as stored: shared ones once, weights and biases separately. */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include "model/model.h"

struct count {
    int64_t weights, biases;
};

/* "embeddings", "attention", "cross", "mixers", "mlp", "norms", "head", NULL */
enum { N_COUNT_PART = 7 };
extern const char *const count_parts[];

/* The count of one part of the model, including its decoder. */
struct count count_part(const struct model *model, const char *part);

/* Whether reports list the part: cross and mixers, and all parts of bare layers, only if present.
 * */
bool count_has_part(const struct model *model, const char *part);

/*
 * First and last slot of the projections of the model's first attention: self-attention, or
 * cross-attention if there is no other.
 */
enum slot count_first(const struct model *model);
enum slot count_last(const struct model *model);

/* The count of these projections. */
struct count count_attention(const struct model *model);

/* Whether each head has its own rows in the projections of queries, keys and values. */
bool count_has_head(const struct model *model);

/* The number of weights of one head's queries, keys and values, if each head has its own. */
int64_t count_head(const struct model *model);

#endif
