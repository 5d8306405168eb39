/* SPDX-License-Identifier: MIT
 *
 * What was asked: argv -> a struct of settings.  A command is a table of options
 * and a function; parsing, ranges, help, completions and the test that every
 * option is in the man page come from the rows. */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/env.h"
#include "base/opt_list.h"

/* ---- rows ---- */

enum opt_type {
    OPT_FLAG,           /* bool */
    OPT_INT,            /* int */
    OPT_REAL,           /* double */
    OPT_STRING,         /* const char *, NULL where not given; may be given once */
    OPT_LIST,           /* struct opt_list: an option that may be given again */
    OPT_CHOICE,         /* int: index into choices */
    OPT_ALIAS,          /* a flag that stands for another option's value:
                           def is "format=json" */
    OPT_HELP            /* -h and --help: opts_parse stops and says which */
};

/* What completions offer for a value that is not a choice. */
struct opt_values {
    const char *const *words;   /* NULL ends; NULL: none.  More goes after a word that
                                   ends with ':' */
    const char *const *(*find)(struct arena *a);    /* words that only this machine
                                   knows, as words; NULL: none */
    char between;               /* ',' or '+': several may be given with this between
                                   them; 0: one */
    bool files;                 /* names of files as well, which are read */
    bool written;               /* or, with it, written */
};

extern const struct opt_values opt_files;       /* nothing but files */
extern const struct opt_values opt_outputs;     /* the same, written */

/* A choice that was renamed: its old name is refused with the new one. */
struct former {
    const char *name, *now;
};

struct opt {
    char short_name;            /* 0: long only */
    const char *name, *arg;     /* "cmap", "NAME"; arg NULL for a flag */
    enum opt_type type;
    size_t field;               /* offsetof() in the command's args struct */
    const char *def;            /* as the user would type it, parsed by the same
                                   code; NULL: 0, NaN, NULL or false */
    const char *alone;          /* the value where the option stands without one; another
                                   goes after '='.  NULL: it requires a value */
    double min, max;            /* inclusive, for INT and REAL; max: of a LIST how many */
    const char *const *choices; /* for CHOICE; ends with NULL */
    const struct former *former;        /* of choices; name NULL ends; NULL: none */
    const struct opt_values *values;    /* for STRING and LIST; NULL: any text */
    const char *help;           /* one line, unit included, no full stop */
    const char *needs;          /* options of which one must be given with it, as cli/rules.h has
                                   them; NULL: none */
    const char *excludes;       /* options that cannot be given with it; NULL: none */
};

/* Its value may be the next word of the command line. */
static inline bool opt_takes_next(const struct opt *o)
{
    return o->arg != NULL && o->alone == NULL;
}

/*
 * Constructors of rows; arguments are in the order of --help: letter, name, argument,
 * field, default, range or choices or values, help, and
 * perhaps .needs and .excludes.  END closes a table.
 */
#define FLAG(letter, long_name, at, ...) \
    { .type = OPT_FLAG, .short_name = letter, .name = long_name, .field = at, .help = __VA_ARGS__ }
#define INT(letter, long_name, value, at, preset, least, most, ...) \
    { .type = OPT_INT, .short_name = letter, .name = long_name, .arg = value, .field = at, \
      .def = preset, .min = least, .max = most, .help = __VA_ARGS__ }
#define CHOICE_OR_ALONE(long_name, value, at, preset, by_itself, names, ...) \
    { .type = OPT_CHOICE, .name = long_name, .arg = value, .field = at, .def = preset, \
      .alone = by_itself, .choices = names, .help = __VA_ARGS__ }
#define INT_OR_ALONE(long_name, value, at, by_itself, least, most, ...) \
    { .type = OPT_INT, .name = long_name, .arg = value, .field = at, .alone = by_itself, \
      .min = least, .max = most, .help = __VA_ARGS__ }
#define REAL(letter, long_name, value, at, preset, least, most, ...) \
    { .type = OPT_REAL, .short_name = letter, .name = long_name, .arg = value, .field = at, \
      .def = preset, .min = least, .max = most, .help = __VA_ARGS__ }
#define STRING(letter, long_name, value, at, ...) \
    { .type = OPT_STRING, .short_name = letter, .name = long_name, .arg = value, \
      .field = at, .help = __VA_ARGS__ }
#define WORDS(letter, long_name, value, at, offered, ...) \
    { .type = OPT_STRING, .short_name = letter, .name = long_name, .arg = value, \
      .field = at, .values = offered, .help = __VA_ARGS__ }
#define PATH(letter, long_name, value, at, ...) \
    WORDS(letter, long_name, value, at, &opt_files, __VA_ARGS__)
#define OUTPUT(letter, long_name, value, at, ...) \
    WORDS(letter, long_name, value, at, &opt_outputs, __VA_ARGS__)
#define SEVERAL(letter, long_name, value, at, most, offered, ...) \
    { .type = OPT_LIST, .short_name = letter, .name = long_name, .arg = value, .field = at, \
      .max = most, .values = offered, .help = __VA_ARGS__ }
#define LIST(letter, long_name, value, at, offered, ...) \
    SEVERAL(letter, long_name, value, at, 2, offered, __VA_ARGS__)
#define CHOICE(letter, long_name, value, at, preset, names, ...) \
    { .type = OPT_CHOICE, .short_name = letter, .name = long_name, .arg = value, \
      .field = at, .def = preset, .choices = names, .help = __VA_ARGS__ }
#define CHOICE_RENAMED(letter, long_name, value, at, preset, names, old, ...) \
    { .type = OPT_CHOICE, .short_name = letter, .name = long_name, .arg = value, \
      .field = at, .def = preset, .choices = names, .former = old, .help = __VA_ARGS__ }
#define ALIAS(long_name, means, ...) \
    { .type = OPT_ALIAS, .name = long_name, .def = means, .help = __VA_ARGS__ }
#define END { .name = NULL }

/* Options that several commands share, or that --help shows under a heading of their own.
 * Groups of the same name that follow one another are shown as one. */
struct opt_group {
    const char *name;           /* "layers and heads" */
    const struct opt *opts;     /* ends with END */
};

/* ---- commands ---- */

/* Where a result goes, as it was asked for; the options are those of cli/output.h. */
struct output_args {
    const char *path;           /* -o; NULL: not given */
    int format;                 /* --format: 0 is auto */
    int term;                   /* --term: 0 is off */
    int metadata;               /* enum output_metadata of cli/output.h */
    bool provenance;            /* --provenance */
};

enum { OPTS_MOST = 128 };       /* of a command */

/* Which options were given, and not left at their defaults. */
struct opts_given {
    size_t field[OPTS_MOST];    /* [n] of their rows */
    int n;
};

/*
 * The options of every command, common_group: the first member of its args struct.
 * The parser and the help add them by themselves; no command lists them.
 */
struct common_args {
    bool quiet, verbose, profile;
    int threads;                /* 0: par_default_threads() */
    struct output_args output;  /* of commands that write results */
    struct opts_given given;
};

extern const struct opt_group common_group;

struct record;                  /* report/record.h */

struct cmd {
    const char *name;           /* "heatmap" */
    const char *summary;        /* one line, no full stop */
    const char *operands;       /* "[TEXT [TEXT_B]]" */
    const char *const *words;   /* all that an operand may be, NULL ends; NULL: a text */
    const struct opt *opts;     /* its own; NULL: none */
    const struct opt_group *const *groups;  /* NULL ends; NULL: none.  Of options of one name
                                   the first counts: its own, then those of each group */
    size_t args_size;
    const char *const *examples;        /* shown by --help, run by the tests; NULL ends */
    int max_operands;
    bool minor;                 /* named at the end of the list of commands, without summary */
    const struct record *const *records;    /* what it prints as JSON, NULL ends; NULL: nothing */
    int (*run)(const void *args, int n_operands, char **operands,
               const struct env *env, struct err *e);
};

/* ---- setting them ---- */

/* A command's options, and the args struct that they are set in. */
struct opts {
    const struct cmd *cmd;
    unsigned char *args;
    struct err *e;
    const struct opt *opt[OPTS_MOST];
    int n;
    int n_given;                /* that were set so far, but for defaults */
    const struct cmd *const *siblings;  /* commands that may have an option that c has not, for
                                   hints (NULL ends); NULL: none is looked at */
};

/* args: all zero, then the defaults. */
int opts_begin(struct opts *p, const struct cmd *c, void *args, struct err *e);

/*
 * Sets one of them to a value as a user types it, which stays as long as args; a flag's is not
 * looked at.  Errors (ERR_USAGE): bad number, out of range (with the range), not a choice (with the
 * choices, or its new name), a text given twice.
 */
int opts_set(struct opts *p, const struct opt *o, const char *text);

/* The same for what a user gave, which opts_is_given then says. */
int opts_give(struct opts *p, const struct opt *o, const char *text);

/* Whether an option of this field was given, be it its default. */
bool opts_is_given(const struct common_args *c, size_t field);

/* ERR_USAGE: there is none of this name, which may go on with "=" (with what was meant). */
int opts_unknown(const struct opts *p, const char *name);

/* What opts_parse returns where help was asked for. */
enum { OPTS_HELP = 1, OPTS_SHORT_HELP };

/*
 * Parses argv (argv[0] is the command's name) into args: all zero, then the
 * defaults, then the options; of numbers and choices the last wins.  Returns 0 with *n_operands
 * and *operands; OPTS_HELP for --help and OPTS_SHORT_HELP for -h (printed by the caller);
 * -1 with ERR_USAGE: unknown option (with what was meant, or which of siblings have it; NULL:
 * none is looked at), bad number, out of range
 * (with the range), not a choice (with the choices, or its new name), a text given twice, too
 * many operands.
 * Options are matched by getopt_long, but only by their whole names.
 */
int opts_parse(const struct cmd *c, const struct cmd *const *siblings, int argc, char **argv,
               void *args, int *n_operands, char ***operands, struct err *e);

/*
 * The arguments of argv (as for opts_parse, which has accepted it) but its name and the
 * options of these names, in any of their spellings: [*n] of a.
 */
const char **command_line_words(struct arena *a, const struct cmd *c, int argc, char **argv,
                                const char *const *without, int *n);

/*
 * The same as a POSIX shell reads it, a blank before each: " -l 0 'the cat'".  Without --threads,
 * --output, --quiet, --verbose and --profile, which change nothing that is written, --shard,
 * --resume, --hidden-in and --hidden-out with the layers, which stand for a part of a run, and
 * --format and --provenance, for which the format itself may stand.  --summary comes first, also
 * where a part has it without saying so.
 * names: of an absolute path that an option names, its last component.
 */
const char *command_line_rest(struct arena *a, const struct cmd *c, int argc, char **argv,
                              bool names);

/* What stays of a path there: of an absolute one its last component. */
const char *command_line_path(struct arena *a, const char *path);

/* Calls fn for the command's own options (group NULL), those of its groups, and the
 * common ones. */
void opts_each(const struct cmd *c,
               void (*fn)(void *self, const struct opt_group *group, const struct opt *o),
               void *self);

/*
 * Claims for a the files that the options name in args: those that are read, and those that are
 * written, but for folders, and for what --output is where it is not given: output_plan has these.
 * ERR_USAGE: claims_check.
 */
int opts_claim(const struct cmd *c, const void *args, struct arena *a, struct err *e);

/*
 * The path in a value of an option that names files, or in one of several values: all of it, or
 * what stands after a word that a path goes after ("keys:FILE").  NULL: it is a word by itself.
 */
const char *opt_path(const struct opt_values *values, const char *piece);

/* "1..64", "at least 1", "at most 4"; empty where the type alone limits it. */
enum { RANGE_SIZE = 80 };
void opts_range(char dst[RANGE_SIZE], const struct opt *o);

#endif
