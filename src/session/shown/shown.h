/* SPDX-License-Identifier: MIT
 * --hide, --renorm, --merge: the tokens of a text as figures and statistics show them ("shown"):
 * some hidden, those of a word merged. */
#ifndef SESSION_SHOWN_H
#define SESSION_SHOWN_H

#include "run/special/filter.h"
#include "session/session.h"
#include "session/texts.h"

extern const char *const merge_names[];     /* in the order of enum merge, then NULL */

/* ERR_USAGE: not a list; --renorm without --hide; --merge words with input that has no words. */
int shown_check(const struct session *session, struct err *e);

/*
 * Fills item->shown from its present tokens.  Errors: a position outside the only text; a text
 * whose tokens are all hidden; --merge for tokens without words.
 */
int shown_fill(const struct session *session, struct arena *a, struct item *item, struct err *e);

/* What a caption describes: weights, whose rows are renormalised after --hide only with --renorm,
 * or statistics of heads, for which they always are. */
enum shown_of { SHOWN_WEIGHTS, SHOWN_NUMBERS };

/*
 * Caption about hidden and merged tokens of an item: "special tokens hidden, weights not
 * renormalised; words in place of their pieces"; NULL if all is shown unchanged.
 */
const char *shown_text(const struct session *session, struct arena *a, const struct item *item,
                       enum shown_of of);
/* The same from the options, for no particular text: "hidden: special". */
const char *shown_asked(const struct session *session, struct arena *a, enum shown_of of);

/* ERR_USAGE if --renorm is given, for commands that only write statistics of heads. */
int shown_check_numbers(const struct session *session, struct err *e);
bool shown_hides(const struct session *session, const struct item *item); /* is any token hidden? */
/* Positions of the hidden tokens, or merged words, of one side: [*n], in arena a. */
const int *shown_hidden(struct arena *a, const struct item *item, enum item_side side, int *n);
const char *shown_list(const struct session *session);    /* --hide's list; NULL if not given */

/*
 * Replaces the sinks to[n] of a pass over the texts by ones that hide, renormalise and merge before
 * they pass rows on; returns their number.  Unchanged if nothing is hidden or merged.
 */
int shown_sinks(const struct session *session, const struct texts *texts, struct arena *a,
                const struct sink **to, int n);

#endif
