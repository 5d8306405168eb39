/* SPDX-License-Identifier: MIT
 * --split: texts of more than N tokens, cut into pieces. */
#ifndef SESSION_SPLIT_H
#define SESSION_SPLIT_H

#include "session/source/source.h"

struct split;

/*
 * *out: a splitter of source's texts by session->asked->split, "N" or "N:OVERLAP"; NULL without it.
 * ERR_USAGE: not such numbers; more tokens than the model takes; the input is not text.
 */
int split_open(const struct session *session, struct source *source, struct split **out,
               struct err *e);

/*
 * As source->next, but returns a text's pieces one by one, with item->part set.  What the pieces
 * share with the text stays valid until the next text is read.
 *
 * SOURCE_UNUSABLE or SOURCE_FAILED also for a text whose template, or second text, leaves room for
 * no more than the overlap; and for one that is too long and has a text for the decoder, or lists
 * global tokens.
 */
int split_next(struct split *split, struct arena *a, struct item *out, struct err *e);

/* Number of the last text's pieces returned so far; 0 if no more of them follow. */
int split_taken(const struct split *split);

/* Skips the first n pieces of the next text, which has more.  Returns as split_next. */
int split_skip(struct split *split, int n, struct err *e);

/* Whether the next piece belongs to the same text as the last one. */
bool split_continues(const struct split *split);

#endif
