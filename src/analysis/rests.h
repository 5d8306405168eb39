/* SPDX-License-Identifier: MIT
 *
 * The key that gets most of a text's rows, text by text -> whether it is the same in all of
 * them: the same token, wherever it stands, or the same place, whatever stands there.  Counts
 * of texts add up, so that parts of a corpus can be merged. */
#ifndef ANALYSIS_RESTS_H
#define ANALYSIS_RESTS_H

#include "analysis/slots.h"
#include "analysis/words.h"

/* Ids that are equal modulo TOKENS count as the same token. */
enum { RESTS_TOKENS = 127, RESTS_PLACES = 8 };

/* Of one head. */
struct rests {
    int64_t n;                              /* texts */
    int64_t token[RESTS_TOKENS];            /* of them, those where it is of these ids */
    int64_t from_start[RESTS_PLACES];       /* where it is this key, the text's first being 0 */
    int64_t from_end[RESTS_PLACES];         /* the text's last being 0 */
};

/* key: below keys->n.  Keys without ids, as of words or of sound, are not added: of those it is not
 * known whether they are the same. */
void rests_add(struct rests *r, const struct token_list *keys, int key);

/* The share of the texts with the commonest token or place, 0 to 1; NaN: there is no text. */
double rests_same(const struct rests *r);

void rests_words(struct words *w, struct rests *r);

#endif
