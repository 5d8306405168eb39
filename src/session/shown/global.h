/* SPDX-License-Identifier: MIT
 *
 * Global tokens of a text (Longformer, LED), which attend to all and are attended by all: those of
 * --global, or of "global" in a JSON object, or those that the model's class in the reference
 * library sets by itself. */
#ifndef SESSION_GLOBAL_H
#define SESSION_GLOBAL_H

#include "session/input.h"

/* ERR_USAGE if --global is not a list, or the session's model has no global tokens. */
int global_check(const struct session *session, struct err *e);

/*
 * Sets item->global of a tokenised text, unless it is set.
 *
 * Errors: a position outside the text (with its range); a list in a JSON object for
 * a model without global tokens (ERR_INPUT); a text without the three separators that
 * tell question from answer, where the model's class looks for them (ERR_INPUT).
 */
int global_fill(const struct session *session, struct arena *a, struct item *item,
                struct err *e);

#endif
