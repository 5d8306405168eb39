/* SPDX-License-Identifier: MIT
 *
 * --from and --to: the queries and keys that a figure shows.  A comma-separated list of tokens:
 * names of tokens (session/shown/place.h; a word means all its tokens), ranges of positions (3-7),
 * "last", and "generated" for those that --generate added. */
#ifndef SESSION_REGION_H
#define SESSION_REGION_H

#include "session/texts.h"

/* ERR_USAGE, naming the option: an element of its list does not name a token. */
int region_check(const struct session *session, struct err *e);

/*
 * The tokens that a figure leaves out of its rows (queries) or columns: those hidden by --hide, and
 * those not named by --from, or --to.  *out: [shown tokens] 1: left out, in arena a or the item's;
 * NULL if no token is left out.  ERR_INPUT: the text has no such token; all tokens are left out.
 */
int region_axis(const struct session *session, const struct item *item, bool queries,
                struct arena *a, const unsigned char **out, struct err *e);

/* For captions, "only queries cat, keys the,dog"; NULL if all tokens are shown. */
const char *region_text(const struct session *session, struct arena *a);

#endif
