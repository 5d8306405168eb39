/* SPDX-License-Identifier: MIT
 * The program except its process: main adds signals, standard streams and the exit status. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdio.h>

#include "cli/opt.h"

/*
 * Runs the command of argv, or --help, --version, help [COMMAND] in place of one.  Results go
 * to standard output, which stays open, or to -o.  Returns 0, or -1 with *e, whose message may
 * be empty; *command, NULL before, is set to the command.
 */
int program_run(int argc, char **argv, const struct cmd **command, struct arena *arena,
                struct err *e);

/* Prints the error in one line; nothing if the message is empty. */
void program_complain(FILE *file, const struct cmd *command, const struct err *e);

#endif
