/* SPDX-License-Identifier: MIT
 * --hide, --renorm, --merge: what pictures and statistics show of a text's tokens. */
#ifndef SESSION_SHOWN_H
#define SESSION_SHOWN_H

#include "run/filter.h"
#include "session/session.h"
#include "session/texts.h"

extern const char *const merge_names[];     /* by enum merge, then NULL */

/* ERR_USAGE: not a list; --renorm alone; --merge words where there are none. */
int shown_check(const struct session *s, struct err *e);

/*
 * Fills item->shown of the tokens that it has now.  Errors: a position that a text of the
 * command line does not have; a text that nothing is left of; tokens without words where
 * they are to be merged.
 */
int shown_fill(const struct session *s, struct arena *a, struct item *item, struct err *e);

/* Numbers of heads are of rows divided by what --hide leaves; weights with --renorm alone. */
enum shown_of { SHOWN_WEIGHTS, SHOWN_NUMBERS };

/*
 * What is shown of the item, for captions: "special tokens hidden, weights not
 * renormalised; words in place of their pieces"; NULL: all of it, as it is.
 */
const char *shown_text(const struct session *s, struct arena *a, const struct item *item,
                       enum shown_of of);
/* The same of no text, and what is averaged: "mean of heads 0-3; hidden: special". */
const char *shown_asked(const struct session *s, struct arena *a, enum shown_of of);

/* ERR_USAGE: --renorm, where a command writes numbers of heads alone. */
int shown_check_numbers(const struct session *s, struct err *e);
bool shown_hides(const struct session *s, const struct item *item);     /* some token */
/* Positions of what is shown of a side that are left out: [*n] of a. */
const int *shown_hidden(struct arena *a, const struct item *item, enum item_side side, int *n);
const char *shown_list(const struct session *s);    /* --hide's; NULL: nothing is hidden */

/*
 * Sinks for the pass over the texts in place of to[n]; returns how many: those themselves
 * where all is shown as it is.
 */
int shown_sinks(const struct session *s, const struct texts *t, struct arena *a,
                const struct sink **to, int n);

#endif
