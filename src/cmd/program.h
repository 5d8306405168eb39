/* SPDX-License-Identifier: MIT
 * The program without its process: main adds signals, the standard streams and the end. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdio.h>

#include "cli/opt.h"

/*
 * Does what argv asks for; also what may take the place of a command: --help, --version,
 * help [COMMAND].  Results go to standard output, which stays open, or where -o says.
 * Returns 0, or -1 with *e, whose message may be empty; *command, NULL before, is what was
 * found.
 */
int program_run(int argc, char **argv, const struct cmd **command, struct arena *arena,
                struct err *e);

/* The one line that says what went wrong; nothing where the message is empty. */
void program_complain(FILE *f, const struct cmd *command, const struct err *e);

#endif
