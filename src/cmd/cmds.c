/* SPDX-License-Identifier: MIT
 * The table of commands, from the one list in cmds.def. */
#include "cmd/cmds.h"

#include <string.h>

#include "base/nearest.h"

#define CMD(name) extern const struct cmd cmd_##name;
#include "cmd/cmds.def"
#undef CMD

#define CMD(name) &cmd_##name,
const struct cmd *const cmd_table[] = {
#include "cmd/cmds.def"
    NULL
};
#undef CMD

enum { N_CMD = sizeof cmd_table / sizeof *cmd_table };

const struct cmd *cmd_find(const char *name)
{
    for (int i = 0; cmd_table[i] != NULL; i++)
        if (strcmp(cmd_table[i]->name, name) == 0)
            return cmd_table[i];
    return NULL;
}

const char *cmd_nearest(const char *name)
{
    const char *names[N_CMD + 1] = { "help" };

    for (int i = 0; cmd_table[i] != NULL; i++)
        names[i + 1] = cmd_table[i]->name;
    return nearest_name(name, names);
}
