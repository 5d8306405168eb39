/* SPDX-License-Identifier: MIT
 *
 * Attention sinks over many texts: the key with most weight in each text -> the share of texts in
 * which it is the same token, wherever it is, or at the same position, whatever it is.  Counts of
 * texts add up, so that parts of a corpus can be merged. */
#ifndef ANALYSIS_RESTS_H
#define ANALYSIS_RESTS_H

#include "analysis/slots.h"
#include "analysis/words.h"

/* Ids that are equal modulo TOKENS count as the same token. */
enum { RESTS_TOKENS = 127, RESTS_PLACES = 8 };

/* Counts of one head. */
struct rests {
    int64_t n;                              /* texts */
    int64_t token[RESTS_TOKENS];            /* texts by the key's id */
    int64_t from_start[RESTS_PLACES];       /* texts by its position, 0: the first key */
    int64_t from_end[RESTS_PLACES];         /* texts by its position from the end, 0: the last */
};

/* Adds a text; key: below keys->n.  Keys without ids, such as words or sound, are not added, as
 * they cannot be compared. */
void rests_add(struct rests *rests, const struct token_list *keys, int key);

/* The share of texts with the most frequent token or position, 0 to 1; NaN if there is no text. */
double rests_same(const struct rests *rests);

void rests_words(struct words *words, struct rests *rests);

#endif
