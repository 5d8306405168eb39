/* SPDX-License-Identifier: MIT
 *
 * Help, printed from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/opt.h"

/* --help of a command: all its options, grouped, and its examples. */
void help_command(FILE *file, const struct cmd *cmd);

/* -h of a command, on one screen: its own options and the names of the other groups. */
void help_short(FILE *file, const struct cmd *cmd);

/*
 * Prints the options under one heading, given in lower case with - between its words
 * ("bare-layers").  False: there is no such heading; names[size] gets the existing ones.
 */
bool help_group(FILE *file, const struct cmd *cmd, const char *heading, char *names, size_t size);

/* Prints "  name  text", further lines aligned with the text: width columns for the name. */
void help_entry(FILE *file, const char *name, const char *text, int width);

/* Prints a text, broken between words, indented by so many columns. */
void help_wrapped(FILE *file, const char *text, int indent);

/* --help of the program, whose commands are in table (NULL ends). */
void help_program(FILE *file, const struct cmd *const *table);

#endif
