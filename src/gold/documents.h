/* SPDX-License-Identifier: MIT
 * Retrieval probe: eight short built-in documents followed by a question that one of them answers,
 * and the same documents without a question. */
#ifndef SESSION_DOCUMENTS_H
#define SESSION_DOCUMENTS_H

#include "gold/ranking.h"
#include "session/item.h"
#include "session/session.h"

enum { N_DOCUMENTS = 8, DOCUMENT_TEXTS = 12 };

struct documents {
    struct item item[N_RANKING];        /* by enum ranking_text */
    struct ranking_places places;
};

/*
 * Text number i of DOCUMENT_TEXTS, in arena a: document i answers; the other documents and their
 * order are drawn by seed.  Requires a model for which haystack_unreadable returns NULL.
 * Returns 1; 0 if the text is too long for the model, or the two texts do not begin with the same
 * tokens; -1 if it cannot be tokenised.
 */
int documents_text(const struct session *session, struct arena *a, int seed, int i,
                   struct documents *out, struct err *e);

#endif
