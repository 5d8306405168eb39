/* SPDX-License-Identifier: MIT
 * What `mha-viz types --json` wrote of a model, for what else shows its heads. */
#ifndef TASK_TYPES_FILE_H
#define TASK_TYPES_FILE_H

#include "session/session.h"

/*
 * *label = the primary label of each head of the session's stack, [layers of s->shown, its
 * heads], NULL for heads that have none or are not in the file; of the session's arena.
 * path NULL: of the file that a built-in model brings; *label NULL where the model is another
 * one, or the file of another stack.  "none": *label NULL.
 *
 * Errors (ERR_INPUT, with the path): no such file; not what types writes; another model or
 * stack; a layer or head that the model does not have.
 */
int types_file_labels(const struct session *s, const char *path, const char *const **label,
                      struct err *e);

#endif
