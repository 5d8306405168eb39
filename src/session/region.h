/* SPDX-License-Identifier: MIT
 *
 * --from and --to: the queries and the keys that a figure shows.  A list names several tokens, with
 * commas between them: places (session/place.h), of a word all of its tokens, ranges of positions
 * (3-7), last, and generated: those that --generate added. */
#ifndef SESSION_REGION_H
#define SESSION_REGION_H

#include "session/texts.h"

/* ERR_USAGE, naming the option: a part of its list is no place. */
int region_check(const struct session *s, struct err *e);

/*
 * What a figure leaves out of its rows, or of its columns: tokens that --hide hides, and those that
 * --from, or --to, does not name: *out [shown tokens] 1: left out, of a or of the item; NULL: none
 * is.  ERR_INPUT: the text has no such token; nothing is left.
 */
int region_axis(const struct session *s, const struct item *item, bool queries, struct arena *a,
                const unsigned char **out, struct err *e);

/* For captions, "from cat alone; to the,dog alone"; NULL: all tokens are shown. */
const char *region_text(const struct session *s, struct arena *a);

#endif
