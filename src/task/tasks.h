/* SPDX-License-Identifier: MIT
 * Tasks: the commands that run a model on texts, listed in tasks.def. */
#ifndef TASK_TASKS_H
#define TASK_TASKS_H

#include "cli/opt.h"

extern const struct cmd *const task_table[];    /* ends with NULL */

/* The task of this name; NULL if there is none. */
const struct cmd *task_find(const char *name);

#endif
