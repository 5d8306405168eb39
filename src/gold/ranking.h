/* SPDX-License-Identifier: MIT
 *
 * Query-focused retrieval heads: their weight on the document that answers a question (gold).  Of
 * two texts with the same documents, one ends with the question, the other with none.
 *
 *     t(j)    mean over the rows of the question, and of the words around it, of a(i, j)
 *     cal(j)  t(j) with the question - t(j) without
 *     score   sum of cal(j) over the tokens j of gold with cal(j) > mean - 2 sd, mean and
 *             (unbiased) deviation over these tokens; 0 if gold has one token
 *
 * Source: Zhang et al. 2025, "QRHead", of heads by long texts. */
#ifndef ANALYSIS_RANKING_H
#define ANALYSIS_RANKING_H

#include "analysis/slots.h"

enum ranking_text { RANKING_ASKED, RANKING_NOT_ASKED, N_RANKING };

/* Positions in the texts. */
struct ranking_places {
    int gold, n_gold;           /* tokens of the document that answers, in both texts */
    int query[N_RANKING], n_query[N_RANKING];   /* rows of the question and around it */
};

struct ranking;

/* For a pass over the two texts; want and texts must last as long. */
struct ranking *ranking_new(struct arena *a, const struct model *model,
                            const struct attended *texts, const struct wanted *want,
                            const struct ranking_places *places);
struct sink ranking_sink(struct ranking *ranking);

/* After the pass, for a wanted head. */
double ranking_score(const struct ranking *ranking, int layer, int head);

/* The score from n values of cal. */
double ranking_sum(const double *cal, int n);

#endif
