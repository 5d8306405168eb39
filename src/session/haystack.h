/* SPDX-License-Identifier: MIT
 * A needle in a haystack that the program writes: sentences without a meaning of their own, one
 * of which names eight words, then a question for them and its answer. */
#ifndef SESSION_HAYSTACK_H
#define SESSION_HAYSTACK_H

#include "analysis/retrieval.h"
#include "session/item.h"
#include "session/session.h"

enum { HAYSTACK_LENGTHS = 4, HAYSTACK_DEPTHS = 5 };

struct haystack {
    struct item item;
    struct retrieval_places places;
};

/* The tokens that hold the bytes from .. to - 1 of their text; *n 0: there is none. */
void haystack_span(const struct tokens *t, int from, int to, int *first, int *n);

/* Why the model cannot read such texts, or cannot be asked so; NULL: it can. */
const char *haystack_unreadable(const struct session *s);
const char *haystack_refusal(const struct session *s);

/*
 * Text number i of HAYSTACK_LENGTHS x HAYSTACK_DEPTHS, of arena a: at most 1/8, 1/4, 1/2, or all
 * of the model's positions or 512, whichever is less, as many tokens; the needle stands after
 * 0, 1/4, 1/2, 3/4 or all of the sentences.  The words are drawn from the NATO alphabet by seed.
 * Returns 1, 0 where so few tokens hold no such text, -1: it cannot be tokenised.
 */
int haystack_text(const struct session *s, struct arena *a, int seed, int i,
                  struct haystack *out, struct err *e);

#endif
