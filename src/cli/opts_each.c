/* SPDX-License-Identifier: MIT
 * The options of a command: its own, those of its groups, and those of all commands. */
#include <string.h>

#include "cli/opt.h"

static bool has_name(const struct opt *o, const char *name)
{
    for (; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

/* Among the command's own options and those of its first n_groups groups. */
static bool is_taken(const struct cmd *c, int n_groups, const char *name)
{
    for (int i = 0; i < n_groups; i++)
        if (has_name(c->groups[i]->opts, name))
            return true;
    return has_name(c->opts, name);
}

void opts_each(const struct cmd *c,
               void (*fn)(void *self, const struct opt_group *group, const struct opt *o),
               void *self)
{
    int n_groups = 0;

    for (const struct opt *o = c->opts; o != NULL && o->name != NULL; o++)
        fn(self, NULL, o);
    for (; c->groups != NULL && c->groups[n_groups] != NULL; n_groups++)
        for (const struct opt *o = c->groups[n_groups]->opts; o->name != NULL; o++)
            if (!is_taken(c, n_groups, o->name))
                fn(self, c->groups[n_groups], o);
    for (const struct opt *o = common_group.opts; o->name != NULL; o++)
        if (!is_taken(c, n_groups, o->name))
            fn(self, &common_group, o);
}
