/* SPDX-License-Identifier: MIT
 * The steps of session_select, each in its file. */
#ifndef SESSION_SELECT_H
#define SESSION_SELECT_H

#include "session/session.h"

/*
 * Decides whether texts are continued, in session->rules and session->n_generate; text: the
 * decoder's text is given.  Errors: ERR_USAGE if the model is bidirectional, or the text to be
 * generated is given; ERR_INPUT if the model has no language-model head.
 */
int session_generation(struct session *session, bool text, struct err *e);

/*
 * Sets want->layer and want->head from -l and -H.
 * ERR_USAGE: not a list, a layer or head that the model does not have, heads by name together
 * with -l.
 */
int session_heads(struct session *session, struct wanted *want, struct err *e);

/*
 * Sets want->rotations, of LSH attention, from --rotations; warns if they are drawn without a
 * seed.  Errors: no layer hashes; the file is not a .npy, or has another shape (found, expected).
 */
int session_rotations(const struct session *session, struct wanted *want, struct err *e);

/*
 * Sets session->change and *want from --mask and related options, --dtype and --fast.  In an
 * encoder-decoder, --mask applies to the self-attention of the shown stack: the encoder's with
 * -s encoder, else the decoder's.
 */
int session_change(struct session *session, struct wanted *want, struct err *e);

#endif
