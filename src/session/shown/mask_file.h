/* SPDX-License-Identifier: MIT
 * A mask from a .npy file: the shape is read at once, the numbers when a text of that shape is
 * run. */
#ifndef SESSION_MASK_FILE_H
#define SESSION_MASK_FILE_H

#include "run/mask.h"
#include "session/session.h"

/*
 * Shape [T, S], [heads or texts, T, S] or [texts, heads, T, S]; keys: [S] or [texts, S].  Integers
 * hide where they are 0, floats are added.  The numbers live as long as session->a.
 *
 * Errors: those of npz_open_one; another number of axes.  Of reading the numbers: NaN, inf;
 * a file that is no longer the same.
 */
int mask_file_open(const struct session *session, const char *path, bool keys,
                   struct mask_array *out, struct err *e);

#endif
