/* SPDX-License-Identifier: MIT
 *
 * Help, printed from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/opt.h"

/* --help of a command: all its options, grouped, and its examples. */
void help_command(FILE *f, const struct cmd *c);

/* -h of a command, on one screen: its own options and the names of the other groups. */
void help_short(FILE *f, const struct cmd *c);

/* --help of the program, whose commands are in table (NULL ends). */
void help_program(FILE *f, const struct cmd *const *table);

#endif
