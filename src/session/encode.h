/* SPDX-License-Identifier: MIT
 * Texts and ids -> the tokens of source and target, within the model's maximum length. */
#ifndef SESSION_ENCODE_H
#define SESSION_ENCODE_H

#include "session/item.h"
#include "session/session.h"
#include "session/source/jsonl.h"

/*
 * Tokenises out->text, and out->pair unless that is the decoder's text, into out->tokens.
 * Errors: the session has no tokeniser (with the reason); a text above 16 MiB; those of
 * tok_encode.
 */
int encode_text(const struct session *session, struct arena *a, struct item *out, struct err *e);

/* The same, from any thread, with a budget of its own instead of the session's. */
int encode_text_within(const struct session *session, struct budget *budget, struct arena *a,
                       struct item *out, struct err *e);

/*
 * Sets out->tokens from ids; types->id is NULL if there are no types.  Error, of the given kind:
 * the number of types is not that of ids.
 */
int encode_ids(const struct session *session, struct arena *a, const struct json_ids *ids,
               const struct json_ids *types, enum err_kind kind, struct item *out,
               struct err *e);

/* Checks that the model is an encoder-decoder, as ids for a decoder require; the error has the
 * given kind and names the option `what`. */
int encode_needs_decoder(const struct session *session, const char *what, enum err_kind kind,
                         struct err *e);

/*
 * Completes a tokenised text: the decoder's tokens, global tokens, boxes, and --truncate.
 * Errors: no text for the decoder, no tokens, more tokens than the model takes; those of
 * global_fill and boxes_fill.
 */
int encode_fit(const struct session *session, struct arena *a, struct item *out, struct err *e);

#endif
