/* SPDX-License-Identifier: MIT
 *
 * What to say of a word that is not an option, or not one of an option's choices: what it is called
 * here (hints.def), which commands have it, the name nearest in spelling. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include "cli/opt.h"

enum { HINTS_SIZE = 240 };

/*
 * "; did you mean --cmap?", or "; links and types have --min-weight"; empty: nothing is near.  Of
 * p's options; p->siblings are the commands that may have the option instead, NULL: none is
 * looked at.
 */
void hints_option(char dst[HINTS_SIZE], const struct opts *p, const char *name);

/* The same of a letter that is not an option, or of the word that it stands in ("-ngl"). */
void hints_letter(char dst[HINTS_SIZE], const struct opts *p, const char *word, int letter);

/* "; did you mean 'magma'?"; empty: no choice of the option is near. */
void hints_choice(char dst[HINTS_SIZE], const struct opt *o, const char *text);

#endif
