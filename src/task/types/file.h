/* SPDX-License-Identifier: MIT
 * Reader of the types of heads that `mha-viz types --json` writes, for other commands. */
#ifndef TASK_TYPES_FILE_H
#define TASK_TYPES_FILE_H

#include "session/session.h"

/*
 * *label = the primary label of each head of the session's stack, [layers of session->shown, its
 * heads], NULL for heads without one or not in the file; in the session's arena.  path NULL: the
 * file of a built-in model; *label NULL if the model is another one, or the file is of another
 * stack.
 * path "none": *label NULL.
 *
 * Errors (ERR_INPUT, with the path): no such file; not a report of types; another model or
 * stack; a layer or head that the model does not have.
 */
int types_file_labels(const struct session *session, const char *path, const char *const **label,
                      struct err *e);

#endif
