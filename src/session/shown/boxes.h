/* SPDX-License-Identifier: MIT
 *
 * Boxes of tokens on their page (LayoutLM): --boxes, an array [tokens, 4] of left, top, right
 * and bottom. */
#ifndef SESSION_BOXES_H
#define SESSION_BOXES_H

#include "session/input.h"

/* ERR_USAGE if --boxes is given and the session has no model that reads boxes, or its texts
 * come from a file or are cut by --split. */
int boxes_check(const struct session *session, struct err *e);

/*
 * Sets item->box of a tokenised text, if --boxes is given.
 *
 * Errors (ERR_INPUT): those of npz_open_one; another shape (found, expected); a number that is
 * not whole, or outside of the model's tables; a box whose right or bottom comes before its left
 * or top.
 */
int boxes_fill(const struct session *session, struct arena *a, struct item *item, struct err *e);

#endif
