/* SPDX-License-Identifier: MIT
 *
 * What was asked: argv -> a struct of settings.  A command is a table of options
 * and a function; parsing, ranges, help, completions and the test that every
 * option is in the man page come from the rows. */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/env.h"

enum opt_type {
    OPT_FLAG,           /* bool */
    OPT_INT,            /* int */
    OPT_REAL,           /* double */
    OPT_STRING,         /* const char *; NULL where no default */
    OPT_LIST,           /* struct opt_list: an option that may be given again */
    OPT_CHOICE,         /* int: index into choices */
    OPT_ALIAS           /* a flag that stands for another option's value:
                           def is "format=json" */
};

struct opt_list {
    int n;
    const char *item[2];        /* as far as any command needs */
};

struct opt {
    char short_name;            /* 0: long only */
    const char *name, *arg;     /* "cmap", "NAME"; arg NULL for a flag */
    enum opt_type type;
    size_t field;               /* offsetof() in the command's args struct */
    const char *def;            /* as the user would type it, parsed by the same
                                   code; NULL: 0, NaN, NULL or false */
    double min, max;            /* inclusive, for INT and REAL */
    const char *const *choices; /* for CHOICE; ends with NULL */
    const char *help;           /* one line, unit included, no full stop */
};

/*
 * The options of every command, common_opts: the first member of its args struct.
 * The parser and the help add them by themselves, and --help; no command lists them.
 */
struct common_args {
    bool quiet, verbose;
    int threads;                /* 0: par_default_threads() */
};

extern const struct opt common_opts[];

struct cmd {
    const char *name;           /* "heatmap" */
    const char *summary;        /* one line, no full stop */
    const char *operands;       /* "[TEXT [TEXT_B]]" */
    const struct opt *opts;     /* own options; ends with name NULL */
    const struct opt *const *shared;    /* tables of shared options; ends with
                                           NULL; may be NULL */
    size_t args_size;
    const char *const *examples;        /* shown by --help, run by the tests; NULL ends */
    int max_operands;
    int (*run)(const void *args, int n_operands, char **operands,
               const struct env *env, struct err *e);
};

/*
 * Parses argv (argv[0] is the command's name) into args: all zero, then the
 * defaults, then the options, of which the last wins.  Returns 0 with *n_operands
 * and *operands; 1 where --help was asked (printed by the caller); -1 with
 * ERR_USAGE: unknown option (with the nearest name), bad number, out of range (with
 * the range), not a choice (with the choices), too many operands.  Options are
 * matched by getopt_long, but only by their whole names.
 */
int opts_parse(const struct cmd *c, int argc, char **argv, void *args,
               int *n_operands, char ***operands, struct err *e);

/* Calls fn for the command's own options, the shared, the common ones, --help. */
void opts_each(const struct cmd *c, void (*fn)(void *self, const struct opt *o),
               void *self);
bool opts_is_own(const struct cmd *c, const struct opt *o);

/* "1..64", "at least 1", "at most 4"; empty where the type alone limits it. */
enum { RANGE_SIZE = 80 };
void opts_range(char dst[RANGE_SIZE], const struct opt *o);

/*
 * Damerau-Levenshtein distance (bytes; a pair swapped counts once), for "did you
 * mean"; 99 where over 3.
 */
int opts_distance(const char *a, const char *b);

/*
 * Of names (NULL ends) the one that typed begins, if there is only one such, else
 * the nearest, if it is near enough to be meant; or NULL.
 */
const char *opts_nearest(const char *typed, const char *const *names);

/* ---- what the table of commands gives; it ends with NULL ---- */

/* Prints --help of a command, or of the program where c is NULL. */
void help_print(FILE *f, const struct cmd *const *table, const struct cmd *c);

/* Prints completions for "bash", "zsh" or "fish"; false: another shell. */
bool completion_print(const char *shell, const struct cmd *const *table);

#endif
