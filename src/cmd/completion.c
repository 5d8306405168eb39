/* SPDX-License-Identifier: MIT
 * completion: the tables of options as completions for three shells. */
#include "cli/completion.h"

#include "cmd/cmds.h"

struct completion_args {
    struct common_args common;
    bool values;
};

static const struct opt opts[] = {
    FLAG(0, "values", offsetof(struct completion_args, values),
         "print the values that are offered for an OPTION of a COMMAND, one per line"),
    END
};

static const char *const examples[] = {
    "mha-viz completion bash > mha-viz.bash",
    "mha-viz completion zsh > _mha-viz",
    "mha-viz completion fish > mha-viz.fish",
    "mha-viz completion --values heatmap cmap",
    NULL
};

static int completion_run(const void *args, int n_operands, char **operands, const struct env *env,
                          struct err *e)
{
    const struct completion_args *asked = args;

    if (asked->values && n_operands == 2)
        return completion_values(stdout, cmd_table, operands[0], operands[1], env->arena, e);
    if (asked->values)
        return err_set(e, ERR_USAGE, "completion: --values requires COMMAND OPTION");
    if (n_operands == 0)
        return err_set(e, ERR_USAGE, "completion: no shell: expected bash, zsh or fish");
    if (n_operands > 1)
        return err_set(e, ERR_USAGE, "completion: unexpected operand '%s', expected at most 1",
                       operands[1]);
    if (completion_print(stdout, operands[0], cmd_table))
        return 0;
    return err_set(e, ERR_USAGE, "completion: '%s' is not one of bash, zsh, fish",
                   operands[0]);
}

const struct cmd cmd_completion = {
    .name = "completion",
    .summary = "print completions for bash, zsh or fish",
    .operands = "bash|zsh|fish",
    .words = completion_shells,
    .opts = opts,
    .args_size = sizeof(struct completion_args),
    .examples = examples,
    .max_operands = 2,
    .minor = true, .run = completion_run,
};
