/* SPDX-License-Identifier: MIT
 *
 * Hints for a word that is not an option, or not one of an option's choices: its name in this
 * program (hints.def), the commands that have it, the name nearest in spelling. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include "cli/opt.h"

enum { HINTS_SIZE = 240 };

/*
 * "; did you mean --cmap?", or "; links and types have --min-weight"; empty if no name is near.
 * Searches opts' options, and those of the commands opts->siblings, unless NULL.
 */
void hints_option(char dst[HINTS_SIZE], const struct opts *opts, const char *name);

/* The same for a letter that is not an option, or for its whole word ("-ngl"). */
void hints_letter(char dst[HINTS_SIZE], const struct opts *opts, const char *word, int letter);

/* "; did you mean 'magma'?"; empty if no choice of the option is near. */
void hints_choice(char dst[HINTS_SIZE], const struct opt *opt, const char *text);

#endif
