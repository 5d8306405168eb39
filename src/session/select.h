/* SPDX-License-Identifier: MIT
 * The steps of session_select, each in its file. */
#ifndef SESSION_SELECT_H
#define SESSION_SELECT_H

#include "session/session.h"

/*
 * Which texts are continued, into s->rules and s->n_generate; text: each has one for the
 * decoder.  Errors: ERR_USAGE where the model sees both ways, or a text is given that would
 * be generated; ERR_INPUT where the model has no head.
 */
int session_generation(struct session *s, bool text, struct err *e);

/*
 * want->layer and want->head from -l and -H.
 * ERR_USAGE: a list that is not one, a layer or head that the model does not have, heads by
 * name beside -l.
 */
int session_heads(struct session *s, struct wanted *want, struct err *e);

/*
 * want->rotations from --rotations; a warning where they are drawn without a seed.
 * Errors: no layer hashes; the file is not a .npy, or does not fit (found, expected).
 */
int session_rotations(const struct session *s, struct wanted *want, struct err *e);

/*
 * What --mask and its like, and --dtype and --fast, say, into s->change and *want.  Of an
 * encoder-decoder --mask is for the self-attention of the stack that is shown: the encoder's
 * with -s encoder, else the decoder's.
 */
int session_change(struct session *s, struct wanted *want, struct err *e);

#endif
