/* SPDX-License-Identifier: MIT
 *
 * Completions for shells, printed from the tables of commands and options. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "cli/opt.h"

extern const char *const completion_shells[];   /* bash, zsh, fish; NULL ends */

/* Prints the script for a shell; false if it is not one of completion_shells. */
bool completion_print(FILE *file, const char *shell, const struct cmd *const *table);

/*
 * Prints what completions offer for a value of an option ("model", or "m"), one per line:
 * its choices or words, and those that only this machine knows.
 *
 * Errors (ERR_USAGE): no such command, no such option.
 */
int completion_values(FILE *file, const struct cmd *const *table, const char *command,
                      const char *option, struct arena *a, struct err *e);

#endif
