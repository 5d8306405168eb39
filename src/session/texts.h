/* SPDX-License-Identifier: MIT
 * Texts of a session, continued and packed for a pass. */
#ifndef SESSION_TEXTS_H
#define SESSION_TEXTS_H

#include "analysis/slots.h"
#include "session/input.h"

/*
 * Continues the texts that are open, several in one pass a step; their tokens are of a.
 * Every command that runs the model over items calls it before texts_pack.  On an error
 * some are closed, and others still open.
 */
int session_generate(const struct session *s, struct item *items, int n,
                     struct arena *a, struct err *e);

/* Texts, packed for a pass. */
struct texts {
    struct batch source, target;
    const struct item *item;    /* [texts] that were packed */
    const int64_t *number;      /* [texts] item->index */
    struct batch keys;          /* of a bare layer's memory */
    struct memory memory;       /* its rows; x NULL: there is none */
};

void texts_pack(struct texts *t, struct arena *a, const struct item *items, int n);

/* The tokens that look and that are looked at in the session's stack; memory is of a. */
struct attended session_attended(const struct session *s, const struct texts *t,
                                 struct arena *a);
/* One side of a text, as it is run. */
const struct tokens *item_side(const struct item *item, enum item_side which);
/* Whose tokens look, and are looked at. */
enum item_side session_query_side(const struct session *s);
enum item_side session_key_side(const struct session *s);
/* The tokens as they are shown: --merge makes words of them. */
const struct tokens *session_queries(const struct session *s, const struct item *item);
const struct tokens *session_keys(const struct session *s, const struct item *item);

/* Whether a sink of the model, which is not a key, takes a share of the rows of these weights. */
bool session_has_sinks(const struct session *s, const struct wanted *want);

/*
 * Runs the model, and for an encoder-decoder's other stacks its decoder after it;
 * rows of the session's stack go to the sinks.  want->hidden and logits are those of
 * the last model that runs.
 */
int session_forward(const struct session *s, const struct texts *t,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e);

#endif
