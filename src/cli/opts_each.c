/* SPDX-License-Identifier: MIT
 * The options of a command: its own, those of its groups, and those of all commands. */
#include <string.h>

#include "cli/opt.h"

static bool has_name(const struct opt *opt, const char *name)
{
    for (; opt != NULL && opt->name != NULL; opt++)
        if (strcmp(opt->name, name) == 0)
            return true;
    return false;
}

/* Among the command's own options and those of its first n_groups groups. */
static bool is_taken(const struct cmd *cmd, int n_groups, const char *name)
{
    for (int i = 0; i < n_groups; i++)
        if (has_name(cmd->groups[i]->opts, name))
            return true;
    return has_name(cmd->opts, name);
}

void opts_each(const struct cmd *cmd,
               void (*fn)(void *self, const struct opt_group *group, const struct opt *o),
               void *self)
{
    int n_groups = 0;

    for (const struct opt *o = cmd->opts; o != NULL && o->name != NULL; o++)
        fn(self, NULL, o);
    for (; cmd->groups != NULL && cmd->groups[n_groups] != NULL; n_groups++)
        for (const struct opt *o = cmd->groups[n_groups]->opts; o->name != NULL; o++)
            if (!is_taken(cmd, n_groups, o->name))
                fn(self, cmd->groups[n_groups], o);
    for (const struct opt *o = common_group.opts; o->name != NULL; o++)
        if (!is_taken(cmd, n_groups, o->name))
            fn(self, &common_group, o);
}
