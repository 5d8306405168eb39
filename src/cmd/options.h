/* SPDX-License-Identifier: MIT
 * The options of all commands, by their long names. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "cli/opt.h"

/* What the value of an option is; a choice and a list are text. */
enum option_kind { OPTION_FLAG, OPTION_WHOLE, OPTION_REAL, OPTION_TEXT };

struct option_name {
    const struct opt *first;    /* row of the first command that has it */
    enum option_kind kind;
    bool has_kinds;             /* a row of another command has another kind */
    bool has_wordings;          /* a row of another command has another help */
    const char *meaning;        /* of all rows: of meanings.def, or their help */
    bool is_listed;             /* in meanings.def */
    const char *const *command; /* [n_commands] that have it, in the order of the program's help */
    int n_commands;
};

/* All of them, in alphabetical order: [*n] of a. */
const struct option_name *option_names(struct arena *a, int *n);

/* Commands: "all", "all but a, b", or the names. */
const char *option_commands(struct arena *a, const struct option_name *o);

#endif
