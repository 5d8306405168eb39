/* SPDX-License-Identifier: MIT
 *
 * Models, and their tokenised inputs, that a caller has open already ("handed" to a session): used
 * where the request names them, instead of opening them again. */
#ifndef SESSION_HANDED_H
#define SESSION_HANDED_H

#include "session/item.h"
#include "session/session.h"

enum { HANDED_MOST = 2 };       /* at most so many models, and inputs */

struct handed {
    const struct session *session[HANDED_MOST];     /* [1]: NULL if there is only one */
    const char *name[HANDED_MOST];      /* the asked.model (same pointer) that means each; of the
                                           first, NULL means the default model */
    /* Inputs other than text that were read already: a picture, sound, or rows of numbers; [i]
     * belongs to session[i], or to the only session.  NULL: the input is read as requested. */
    const struct item *item[HANDED_MOST];
    const char *file[HANDED_MOST];      /* the asked_array() (same pointer) that means each; NULL
                                           for rows */
};

/*
 * Opens session as a share of the open session that asked->model names, with env's arena and
 * progress.
 * ERR_USAGE: the request would open the model with other options.
 */
int handed_open(struct session *session, const struct asked *asked, bool tokens_only,
                const struct env *env, struct err *e);

/* The input of the request of session if the caller has read it already; else NULL. */
const struct item *handed_item(const struct session *session);

#endif
