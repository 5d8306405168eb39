/* SPDX-License-Identifier: MIT
 * What may be done with a model and a text: tasks.def lists it. */
#ifndef TASK_TASKS_H
#define TASK_TASKS_H

#include "cli/opt.h"

extern const struct cmd *const task_table[];    /* ends with NULL */

/* NULL: there is none of this name. */
const struct cmd *task_find(const char *name);

#endif
