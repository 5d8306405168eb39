/* SPDX-License-Identifier: MIT
 * Texts and ids -> the tokens of both sides, within what the model takes. */
#ifndef SESSION_ENCODE_H
#define SESSION_ENCODE_H

#include "session/item.h"
#include "session/jsonl.h"
#include "session/session.h"

/*
 * out->tokens of out->text, and of out->pair unless that is for a decoder.
 * Errors: the session has no tokeniser (its reason); a text above 16 MiB; those of
 * tok_encode.
 */
int encode_text(const struct session *s, struct arena *a, struct item *out, struct err *e);

/* The same on any thread, with a budget that is not the session's. */
int encode_text_within(const struct session *s, struct budget *budget, struct arena *a,
                       struct item *out, struct err *e);

/*
 * out->tokens of ids, with types->id NULL for none.  Error, of this kind: another number of
 * types than ids.
 */
int encode_ids(const struct session *s, struct arena *a, const struct json_ids *ids,
               const struct json_ids *types, enum err_kind kind, struct item *out,
               struct err *e);

/* Ids for a decoder require one that follows an encoder; the error, of this kind, names what. */
int encode_needs_decoder(const struct session *s, const char *what, enum err_kind kind,
                         struct err *e);

/*
 * What a text's tokens still lack: the decoder's side, global tokens; and --truncate.
 * Errors: no text for the decoder, no tokens, more than the model takes; those of
 * global_fill and boxes_fill.
 */
int encode_fit(const struct session *s, struct arena *a, struct item *out, struct err *e);

#endif
