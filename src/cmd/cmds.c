/* SPDX-License-Identifier: MIT
 * The table of commands, from the one list in cmds.def. */
#include "cmd/cmds.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/shell.h"

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

/* The name that was probably meant; NULL: none is near. */
static const char *cmds_nearest(const char *name)
{
    static const struct { const char *typed, *name; } other[] = {
        { "plot", "heatmap" }, { "draw", "heatmap" }, { "show", "heatmap" },
        { "view", "heatmap" }, { "attention", "heatmap" }, { "head_view", "links" },
        { "lines", "links" }, { "model_view", "model" }, { "overview", "model" },
        { "visualize", "heatmap" }, { "visualise", "heatmap" }, { "head", "heatmap" },
        { "heads", "types" }, { "neuron_view", "neuron" }, { "summary", "stats" },
        { "compare", "diff" }, { "prune", "ablate" }, { "ablation", "ablate" },
        { "tokenize", "tokens" }, { "tokenise", "tokens" }, { "page", "report" },
        { "html", "report" }, { "entropy", "stats" }, { "metrics", "help metrics" },
        { "save", "export" }, { "dump", "export" }, { "patterns", "types" },
        { "classify", "types" }, { "logit-lens", "trace" }, { "lens", "trace" },
        { "dla", "attribute" }, { "benchmark", "bench" }, { "convert", "export" },
    };
    const char *names[N_CMD + 1] = { "help" };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i].typed, name) == 0)
            return other[i].name;
    for (int i = 0; cmd_table[i] != NULL; i++)
        names[i + 1] = cmd_table[i]->name;
    return nearest_name(name, names);
}

const struct cmd *cmd_known(const char *name, struct arena *a, struct err *e)
{
    const struct cmd *command = cmd_find(name);
    const char *meant = command == NULL ? cmds_nearest(name) : NULL;

    if (command == NULL && strchr(name, ' ') != NULL)
        err_set(e, ERR_USAGE, "'%.60s' is not a command; of a text: mha-viz heatmap %s", name,
                strlen(name) <= 60 ? shell_word(a, name) : "'TEXT'");
    else if (command == NULL)
        err_set(e, ERR_USAGE, "'%s' is not a command%s%s%s", name,
                meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                meant != NULL ? "'?" : "");
    return command;
}
