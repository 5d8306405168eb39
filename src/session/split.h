/* SPDX-License-Identifier: MIT
 * --split: texts that are longer than N tokens, in pieces. */
#ifndef SESSION_SPLIT_H
#define SESSION_SPLIT_H

#include "session/source.h"

struct split;

/*
 * *out: the texts of source in pieces as s->asked->split says, "N" or "N:OVERLAP"; NULL where
 * that is.  ERR_USAGE: no such numbers; more tokens than the model takes; no texts are read.
 */
int split_open(const struct session *s, struct source *source, struct split **out,
               struct err *e);

/*
 * As source->next: a text's pieces, one after the other, each with its part.  What the texts of
 * source have in common with the last is kept until the next is read.
 *
 * SOURCE_UNUSABLE, SOURCE_FAILED too: a text whose template, or other text, leaves no place for
 * more than the overlap; a text that is too long and has another for the decoder, or lists
 * global tokens.
 */
int split_next(struct split *p, struct arena *a, struct item *out, struct err *e);

/* Pieces of the text that was read last which came so far, while others follow; else 0. */
int split_taken(const struct split *p);

/* So many pieces of the next text are taken as done: it has more.  As split_next. */
int split_skip(struct split *p, int n, struct err *e);

/* Whether the next piece is of the text of the last one. */
bool split_continues(const struct split *p);

#endif
