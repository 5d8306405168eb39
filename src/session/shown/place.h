/* SPDX-License-Identifier: MIT
 *
 * A user's name for one token of a text ("place"):
 *
 *     7          the token at position 7, from 0
 *     -1         the last token, -2 the one before it
 *     bank       the token or word "bank"; of a word of several pieces the last
 *     bank#2     its second occurrence
 *     =5, =-1, =7#2   the same of what would be read as a position
 *
 * A word is compared with the tokens' labels and pieces ("bank", "##s", "[CLS]"), and with
 * the text that they stand for. */
#ifndef SESSION_PLACE_H
#define SESSION_PLACE_H

#include "session/texts.h"

/* What a name says; plain data, checked without a text. */
struct place {
    const char *spec;           /* as given, for messages */
    long long position;         /* -1: a word, or counted from the end */
    long long from_end;         /* 1: the last token; 0: a word, or counted from 0 */
    const char *word;           /* NULL: a position */
    size_t word_size;
    long long occurrence;       /* from 1 */
};

/* ERR_USAGE, naming the option: no name, an occurrence 0. */
int place_parse(struct place *place, const char *option, const char *spec, struct err *e);

/*
 * The position in tokens that place names; -1 with an error, which names the option and what the
 * text has instead.  text: what the spans of tokens count in; NULL: it is not known.  Occurrences
 * are of whole words; where there are none, of parts of words.
 */
int place_find(const struct place *place, const char *option, const struct tokens *tokens,
               const char *text, struct err *e);

/* The same, and *first, the first token of a word of several. */
int place_span(const struct place *place, const char *option, const struct tokens *tokens,
               const char *text, int *first, struct err *e);

/* What the spans of a side's tokens count in; NULL: it is not known. */
const char *place_text(const struct item *item, enum item_side side);

/* The same among the query tokens of an item in the session's stack. */
int place_query(const struct place *place, const char *option, const struct session *session,
                const struct item *item, struct err *e);

#endif
