/* SPDX-License-Identifier: MIT
 * The options of all commands, by their long names. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "cli/opt.h"

/* The kind of an option's value; choices and lists are text. */
enum option_kind { OPTION_FLAG, OPTION_WHOLE, OPTION_REAL, OPTION_TEXT };

struct option_name {
    const struct opt *first;    /* row of the first command that has it */
    enum option_kind kind;
    bool has_kinds;             /* a row of another command has another kind */
    bool has_wordings;          /* a row of another command has another help */
    const char *meaning;        /* for all rows: from meanings.def, else the help of first */
    bool is_listed;             /* meanings.def has it */
    const char *const *command; /* [n_commands] names of the commands that have it, in the order of
                                   the program's help */
    int n_commands;
};

/* All options by name, in alphabetical order: [*n] in arena a. */
const struct option_name *option_names(struct arena *a, int *n);

/* The commands that have it: "all", "all but a, b", or the names. */
const char *option_commands(struct arena *a, const struct option_name *name);

#endif
