/* SPDX-License-Identifier: MIT
 * Generation for the texts of a session, and their batches: packed, and run through the model. */
#ifndef SESSION_TEXTS_H
#define SESSION_TEXTS_H

#include "analysis/slots.h"
#include "session/input.h"

/*
 * Continues the texts that are open (item->open), several in one pass per step; new tokens are in
 * arena a.  Every command that runs the model over items calls it before texts_pack.  After an
 * error some texts are continued, others not.
 */
int session_generate(const struct session *session, struct item *items, int n,
                     struct arena *a, struct err *e);

/* Texts, packed for a pass. */
struct texts {
    struct batch source, target;
    const struct item *item;    /* [texts] the items that were packed */
    const int64_t *number;      /* [texts] item->index */
    struct batch keys;          /* rows of a bare layer's second input */
    struct memory memory;       /* its numbers; x NULL if there is none */
};

void texts_pack(struct texts *texts, struct arena *a, const struct item *items, int n);

/* The query and key tokens in the session's stack; allocated in arena a. */
struct attended session_attended(const struct session *session, const struct texts *texts,
                                 struct arena *a);
/* The tokens of one side of a text, before --hide and --merge. */
const struct tokens *item_side(const struct item *item, enum item_side which);
/* The sides whose tokens are queries, and keys, in the session's stack. */
enum item_side session_query_side(const struct session *session);
enum item_side session_key_side(const struct session *session);
/* The queries and keys as shown: words, if --merge merged their tokens. */
const struct tokens *session_queries(const struct session *session, const struct item *item);
const struct tokens *session_keys(const struct session *session, const struct item *item);

/* Whether rows of these weights may sum to less than 1 because the model has learned attention
 * sinks, logits in the softmax that belong to no key. */
bool session_has_sinks(const struct session *session, const struct wanted *want);

/*
 * Runs the model, and its decoder after it if the stack is the decoder or cross-attention; rows
 * of the session's stack go to the sinks.  want->hidden and logits are those of the model that runs
 * last.
 */
int session_forward(const struct session *session, const struct texts *texts,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e);

#endif
