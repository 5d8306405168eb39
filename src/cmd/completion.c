/* SPDX-License-Identifier: MIT
 * completion: the tables of options as completions for three shells. */
#include "cmd/cmds.h"

struct completion_args {
    struct common_args common;
};

static int run(const void *args, int n_operands, char **operands,
               const struct env *env, struct err *e)
{
    (void)args;
    (void)env;
    if (n_operands == 0)
        return err_set(e, ERR_USAGE, "completion: no shell, want bash, zsh or fish");
    if (completion_print(operands[0], cmd_table))
        return 0;
    return err_set(e, ERR_USAGE, "completion: '%s' is not one of bash, zsh, fish",
                   operands[0]);
}

static const char *const examples[] = {
    "mha-viz completion bash > mha-viz.bash",
    "mha-viz completion zsh > _mha-viz",
    "mha-viz completion fish > mha-viz.fish",
    NULL
};

const struct cmd cmd_completion = {
    .name = "completion",
    .summary = "print completions for bash, zsh or fish",
    .operands = "bash|zsh|fish",
    .args_size = sizeof(struct completion_args),
    .examples = examples,
    .max_operands = 1,
    .run = run,
};
