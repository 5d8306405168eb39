/* SPDX-License-Identifier: MIT
 * Needle-in-a-haystack texts that the program generates: filler sentences, one of which (the
 * needle) names eight words, then a question for these words and its answer. */
#ifndef SESSION_HAYSTACK_H
#define SESSION_HAYSTACK_H

#include "gold/retrieval.h"
#include "session/item.h"
#include "session/session.h"

enum { HAYSTACK_LENGTHS = 4, HAYSTACK_DEPTHS = 5 };

struct haystack {
    struct item item;
    struct retrieval_places places;
};

/* The tokens of bytes from .. to - 1 of their text: *first, and how many, *n; *n 0 if none. */
void haystack_span(const struct tokens *tokens, int from, int to, int *first, int *n);

/* Why the model cannot read such texts (unreadable), or cannot answer them (refusal); NULL if it
 * can. */
const char *haystack_unreadable(const struct session *session);
const char *haystack_refusal(const struct session *session);

/*
 * Text number i of HAYSTACK_LENGTHS x HAYSTACK_DEPTHS, in arena a.  Its length is at most 1/8,
 * 1/4, 1/2 or all of min(positions of the model, 512) tokens; the needle stands after 0, 1/4, 1/2,
 * 3/4 or all of the sentences.  The words are drawn from the NATO alphabet by seed.
 * Returns 1; 0 if no such text fits into so few tokens; -1 if it cannot be tokenised.
 */
int haystack_text(const struct session *session, struct arena *a, int seed, int i,
                  struct haystack *out, struct err *e);

#endif
