/* SPDX-License-Identifier: MIT
 *
 * Retrieval heads, which find and copy tokens: in a text with a needle that is repeated as the
 * answer at its end (gold), the key that a head attends to most in the row before each gold token.
 *
 *     hit     that key is a token of the needle with the gold token's id
 *     set     distinct ids of the hits / distinct ids of the needle
 *     steps   hits / tokens of the needle
 *     first   the first gold token is hit
 *
 * Source: Wu et al. 2024 (paper: set; their code: steps), teacher-forced: the gold tokens are in
 * the text. */
#ifndef ANALYSIS_RETRIEVAL_H
#define ANALYSIS_RETRIEVAL_H

#include "analysis/slots.h"

/* Positions in the text. */
struct retrieval_places {
    int needle, n_needle;       /* the needle's tokens */
    int gold, n_gold;           /* tokens that repeat the needle; gold >= 1 */
};

struct retrieval;

/* For a pass over one text with these ids; want and texts must last as long. */
struct retrieval *retrieval_new(struct arena *a, const struct model *model,
                                const struct attended *texts, const struct wanted *want,
                                const struct retrieval_places *places);
struct sink retrieval_sink(struct retrieval *retrieval);

struct retrieval_found { double set, steps; bool first, any; };

/* After the pass, for a wanted head. */
struct retrieval_found retrieval_of(const struct retrieval *retrieval, int layer, int head);

/* Number of gold tokens that have the largest of logits [tokens, n] in the row before them. */
int retrieval_known(const struct retrieval_places *places, const int *id, const float *logits,
                    int n);

#endif
