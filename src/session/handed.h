/* SPDX-License-Identifier: MIT
 *
 * Models that a caller has open already, and texts of theirs, in place of those that would be
 * opened as asked. */
#ifndef SESSION_HANDED_H
#define SESSION_HANDED_H

#include "session/item.h"
#include "session/session.h"

enum { HANDED_MOST = 2 };       /* of each */

struct handed {
    const struct session *session[HANDED_MOST];     /* the second NULL: there is one */
    const char *name[HANDED_MOST];      /* asked.model of each, the same pointer; of the first
                                           also NULL */
    /* Texts that are none, as they were read: of a picture, of sound, of rows; each of its
     * session, or of the first.  NULL: what is asked is read. */
    const struct item *item[HANDED_MOST];
    const char *file[HANDED_MOST];      /* asked_array of each, the same pointer; of rows NULL */
};

/*
 * The session that stands for what is asked, shared, with env's arena and progress.  ERR_USAGE:
 * what is asked would be opened in another way than it was.
 */
int handed_open(struct session *s, const struct asked *asked, bool tokens_only,
                const struct env *env, struct err *e);

/* The text of a session that stands for what is asked of it; NULL: none does. */
const struct item *handed_item(const struct session *s);

#endif
