/* SPDX-License-Identifier: MIT
 * The table of tasks, from tasks.def. */
#include "task/tasks.h"

#include <string.h>

#define TASK(name) extern const struct cmd cmd_##name;
#include "task/tasks.def"
#undef TASK

#define TASK(name) &cmd_##name,
const struct cmd *const task_table[] = {
#include "task/tasks.def"
    NULL
};
#undef TASK

const struct cmd *task_find(const char *name)
{
    for (int i = 0; task_table[i] != NULL; i++)
        if (strcmp(task_table[i]->name, name) == 0)
            return task_table[i];
    return NULL;
}
