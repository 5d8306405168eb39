/* SPDX-License-Identifier: MIT
 * Eight short documents that the program brings along, and a question that one of them answers;
 * and the same documents with no question. */
#ifndef SESSION_DOCUMENTS_H
#define SESSION_DOCUMENTS_H

#include "analysis/ranking.h"
#include "session/item.h"
#include "session/session.h"

enum { N_DOCUMENTS = 8, DOCUMENT_TEXTS = 12 };

struct documents {
    struct item item[N_RANKING];        /* by enum ranking_text */
    struct ranking_places places;
};

/*
 * Text number i of DOCUMENT_TEXTS, of arena a: document i answers; the others and the place of
 * each are drawn by seed.  For a model that haystack_unreadable accepts.  Returns 1, 0 where the
 * model takes too few tokens, or the two texts do not begin alike; -1: it cannot be tokenised.
 */
int documents_text(const struct session *s, struct arena *a, int seed, int i,
                   struct documents *out, struct err *e);

#endif
