/* SPDX-License-Identifier: MIT
 *
 * Heads that find something in a text and copy it: of a text that holds a needle, tokens that
 * are asked for again at its end (gold), and in the row before each gold token, what the head
 * looks at most.
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

/* Places in the text. */
struct retrieval_places {
    int needle, n_needle;       /* the needle's tokens */
    int gold, n_gold;           /* tokens that are the needle again; gold >= 1 */
};

struct retrieval;

/* For a pass over one text with these ids; want and texts must last as long. */
struct retrieval *retrieval_new(struct arena *a, const struct model *m,
                                const struct attended *texts, const struct wanted *want,
                                const struct retrieval_places *places);
struct sink retrieval_sink(struct retrieval *r);

struct retrieval_found { double set, steps; bool first, any; };

/* After the pass, of a head that was wanted. */
struct retrieval_found retrieval_of(const struct retrieval *r, int layer, int head);

/* How many of the gold tokens are the largest of logits [tokens, n] in the row before them. */
int retrieval_known(const struct retrieval_places *places, const int *id, const float *logits,
                    int n);

#endif
