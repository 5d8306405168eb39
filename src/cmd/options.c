/* SPDX-License-Identifier: MIT
 * Rows of all commands -> one row for each name. */
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"

static const struct { const char *name, *meaning; } meanings[] = {
#define MEANING(name, meaning) { name, meaning },
#include "cli/meanings.def"
#undef MEANING
};

enum { NAMES_MOST = 400, FEW = 6 };

struct collection {
    struct arena *a;
    struct option_name *name;   /* [n] */
    int n;
    const char *command;
};

static enum option_kind options_kind_of(const struct opt *opt)
{
    switch (opt->type) {
    case OPT_INT: return OPTION_WHOLE;
    case OPT_REAL: return OPTION_REAL;
    case OPT_FLAG:
    case OPT_ALIAS:
    case OPT_HELP: return OPTION_FLAG;
    default: return OPTION_TEXT;
    }
}

static int count_commands(void)
{
    int n = 0;

    while (cmd_table[n] != NULL)
        n++;
    return n;
}

static struct option_name *options_name_of(struct collection *collection, const struct opt *opt)
{
    struct option_name *name;

    for (int i = 0; i < collection->n; i++)
        if (strcmp(collection->name[i].first->name, opt->name) == 0)
            return &collection->name[i];
    name = &collection->name[collection->n++];
    *name = (struct option_name){ .first = opt, .kind = options_kind_of(opt),
                                  .meaning = opt->help };
    name->command = arena_alloc(collection->a, (uint64_t)count_commands(), sizeof *name->command);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].name, opt->name) == 0) {
            name->meaning = meanings[i].meaning;
            name->is_listed = true;
        }
    return name;
}

static void options_add(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct collection *c = self;
    struct option_name *name = options_name_of(c, opt);

    (void)group;
    name->has_kinds |= options_kind_of(opt) != name->kind;
    name->has_wordings |= strcmp(opt->help, name->first->help) != 0;
    ((const char **)(uintptr_t)name->command)[name->n_commands++] = c->command;
}

static int options_by_name(const void *x, const void *y)
{
    const struct option_name *a = x, *b = y;

    return strcmp(a->first->name, b->first->name);
}

const struct option_name *option_names(struct arena *a, int *n)
{
    struct collection c = { a, arena_alloc(a, NAMES_MOST, sizeof *c.name), 0, NULL };

    for (int i = 0; cmd_table[i] != NULL; i++) {
        c.command = cmd_table[i]->name;
        opts_each(cmd_table[i], options_add, &c);
    }
    qsort(c.name, (size_t)c.n, sizeof *c.name, options_by_name);
    *n = c.n;
    return c.name;
}

/* Names of the commands that have the option, or, of most, of those that have it not. */
static const char *options_joined(struct arena *a, const struct option_name *name, bool having)
{
    const char *text = "";

    for (int i = 0, k = 0; cmd_table[i] != NULL; i++) {
        bool has = k < name->n_commands && strcmp(name->command[k], cmd_table[i]->name) == 0;

        k += has;
        if (has == having)
            text = arena_printf(a, "%s%s%s", text, text[0] != '\0' ? ", " : "",
                                cmd_table[i]->name);
    }
    return text;
}

const char *option_commands(struct arena *a, const struct option_name *name)
{
    int n = count_commands();

    if (name->n_commands == n)
        return "all";
    if (n - name->n_commands <= FEW)
        return arena_printf(a, "all but %s", options_joined(a, name, false));
    return options_joined(a, name, true);
}
