/* SPDX-License-Identifier: MIT
 *
 * Which tokens of a text are global: what --global says, or the "global" of a JSON
 * object, or what the model's class in the reference library does by itself. */
#ifndef SESSION_GLOBAL_H
#define SESSION_GLOBAL_H

#include "session/input.h"

/* ERR_USAGE where --global is not a list, or the session's model has no global tokens. */
int global_check(const struct session *s, struct err *e);

/*
 * Sets item->global of a tokenised text, where it is not known.
 *
 * Errors: a position that the text lacks (with its range); a list in a JSON object for
 * a model without global tokens (ERR_INPUT); a text without the three separators that
 * tell question from answer, where the model's class looks for them (ERR_INPUT).
 */
int global_fill(const struct session *s, struct arena *a, struct item *item,
                struct err *e);

#endif
