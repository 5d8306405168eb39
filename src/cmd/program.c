/* SPDX-License-Identifier: MIT
 * argv[1] -> a command, and its run. */
#include "cmd/program.h"

#include <string.h>

#include "base/claims.h"
#include "base/par.h"
#include "cli/console.h"
#include "cli/formers.h"
#include "cli/help.h"
#include "cli/rules.h"
#include "cmd/cmds.h"
#include "cmd/help.h"
#include "cmd/profile.h"

/* Said once the command is known to be quiet or not. */
struct renamed {
    struct arena *a;
    const char *note[16];
    int n;
};

static void rename_told(void *self, const char *was, const char *now)
{
    struct renamed *r = self;

    if (r->n < (int)(sizeof r->note / sizeof *r->note))
        r->note[r->n++] = arena_printf(r->a, "--%s is called --%s now; the next release does not "
                                       "know the old name", was, now);
}

static int program_run_command(const struct cmd *cmd, int argc, char **argv, struct arena *arena,
                               struct err *e)
{
    struct renamed renamed = { .a = arena };
    struct env env = { .arena = arena };
    struct console console;
    void *args = arena_alloc(arena, 1, cmd->args_size);
    const struct common_args *common = args;
    char **operands;
    int n_operands, status;

    argv = formers_replace(arena, cmd, argc - 1, argv + 1, rename_told, &renamed);
    status = opts_parse(cmd, cmd_table, argc - 1, argv, args, &n_operands, &operands, e);
    if (status > 0)
        (status == OPTS_SHORT_HELP ? help_short : help_command)(stdout, cmd);
    if (status != 0)
        return status < 0 ? -1 : 0;
    if (rules_check(cmd, args, e) != 0)
        return -1;
    claims_read(arena, "standard input", "/dev/stdin");
    if (kernel_choose(e) != 0 || opts_claim(cmd, args, arena, e) != 0)
        return -1;
    env.cmd = cmd;
    env.argc = argc - 1;
    env.argv = argv;
    env.quiet = common->quiet;
    env.verbose = common->verbose;
    env.n_threads = common->threads > 0 ? common->threads : par_default_threads();
    if (common->profile) {
        env.meter = arena_alloc(arena, 1, sizeof *env.meter);
        meter_begin(env.meter);
    }
    console_open(&console, &env);
    for (int i = 0; i < renamed.n; i++)
        err_warn(env.note, "%s", renamed.note[i]);
    status = cmd->run(args, n_operands, operands, &env, e);
    console_hide();
    meter_end(env.meter);
    if (status == 0 && common->profile)
        profile_print(&env.meter->parts, arena, stderr);
    return status;
}

/* What may take the place of a command: --help, --version, help. */
int program_run(int argc, char **argv, const struct cmd **c, struct arena *arena,
                struct err *e)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (argc < 2)
        return err_set(e, ERR_USAGE, "no command");
    if (strcmp(name, "help") == 0)
        return help_run(argv[0], argv + 2, argc - 2, arena, e);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help_run(argv[0], NULL, 0, arena, e);
    if (strcmp(name, "--version") == 0) {
        if (kernel_choose(e) != 0)
            return -1;
        version_print(stdout);
        return 0;
    }
    if (name[0] == '-')
        return err_set(e, ERR_USAGE, "%s: unknown option; options go after the command", name);
    *c = cmd_known(name, arena, e);
    return *c != NULL ? program_run_command(*c, argc, argv, arena, e) : -1;
}

void program_complain(FILE *file, const struct cmd *cmd, const struct err *e)
{
    if (e->msg[0] == '\0')
        return;
    fprintf(file, "mha-viz: %s", e->msg);
    if (e->kind == ERR_USAGE)
        fprintf(file, " (try `mha-viz %s%s-h`)", cmd != NULL ? cmd->name : "",
                cmd != NULL ? " " : "");
    putc('\n', file);
}
