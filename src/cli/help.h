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

/*
 * Those of its options that stand under a heading, which is typed in small letters with - between
 * its words ("bare-layers").  False: it has no such heading; names[size] gets those that it has.
 */
bool help_group(FILE *f, const struct cmd *c, const char *heading, char *names, size_t size);

/* "  name  text", whose further lines begin where the text does: width columns for the name. */
void help_entry(FILE *f, const char *name, const char *text, int width);

/* A text between words, each line after so many columns. */
void help_wrapped(FILE *f, const char *text, int indent);

/* --help of the program, whose commands are in table (NULL ends). */
void help_program(FILE *f, const struct cmd *const *table);

#endif
