/* SPDX-License-Identifier: MIT
 *
 * Options of a command line: argv -> a struct of settings.  A command is a table of options
 * and a function; parsing, ranges, help, completions and the test that every option is in the
 * man page follow from the rows. */
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
    OPT_HELP            /* -h and --help: opts_parse stops and returns which it was */
};

/* The values that completions offer for an option without choices. */
struct opt_values {
    const char *const *words;   /* NULL ends; NULL: none.  A word that ends with ':' is
                                   continued */
    const char *const *(*find)(struct arena *a);    /* words that depend on this machine, in
                                   the same form; NULL: none */
    char between;               /* ',' or '+': separator of several values; 0: one value */
    bool files;                 /* names of files are offered too; the command reads them */
    bool written;               /* with files: the command writes them instead */
};

extern const struct opt_values opt_files;       /* nothing but files */
extern const struct opt_values opt_outputs;     /* the same, written */

/* A choice that was renamed: its old name is an error that names the new one. */
struct former {
    const char *name, *now;
};

struct opt {
    char short_name;            /* 0: long only */
    const char *name, *arg;     /* "cmap", "NAME"; arg NULL for a flag */
    enum opt_type type;
    size_t field;               /* offsetof() in the command's args struct */
    const char *def;            /* default as the user would type it; NULL: 0, NaN, NULL or
                                   false, by type */
    const char *alone;          /* value if the option is given without one; a value must then
                                   follow '='.  NULL: a value is required */
    double min, max;            /* inclusive range of an INT or REAL; max of a LIST: how often
                                   it may be given */
    const char *const *choices; /* values of a CHOICE; NULL ends */
    const struct former *former;        /* renamed choices, name NULL ends; NULL: none */
    const struct opt_values *values;    /* values that completions offer for a STRING or LIST;
                                   NULL: none */
    const char *help;           /* one line, unit included, no full stop */
    bool none;                  /* STRING: the value "none" counts as not given for these: */
    const char *needs;          /* options of which one must be given with it, as cli/rules.h has
                                   them; NULL: none */
    const char *excludes;       /* options that cannot be given with it; NULL: none */
};

/* Whether its value may be the next word of the command line. */
static inline bool opt_takes_next(const struct opt *opt)
{
    return opt->arg != NULL && opt->alone == NULL;
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

/* A group of options that several commands share, or that --help shows under its own heading.
 * Adjacent groups of the same name are shown as one. */
struct opt_group {
    const char *name;           /* "layers and heads" */
    const struct opt *opts;     /* ends with END */
};

/* ---- commands ---- */

/* The options of outputs, of cli/output.h. */
struct output_args {
    const char *path;           /* -o; NULL: not given */
    int format;                 /* --format: 0 is auto */
    int term;                   /* --term: 0 is off */
    int metadata;               /* enum output_metadata of cli/output.h */
    bool provenance;            /* --provenance */
};

enum { OPTS_MOST = 128 };       /* greatest number of options of a command */

/* The options that the user gave, even with their default values. */
struct opts_given {
    size_t field[OPTS_MOST];    /* [n] struct opt.field of each */
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
    const char *const *words;   /* the valid operands, NULL ends; NULL: operands are texts */
    const struct opt *opts;     /* options of this command alone; NULL: none */
    const struct opt_group *const *groups;  /* options shared with others, NULL ends; NULL: none.
                                   Of options of the same name the first counts: opts, then
                                   each group */
    size_t args_size;
    const char *const *examples;        /* shown by --help, run by the tests; NULL ends */
    int max_operands;
    bool minor;                 /* listed by name only, at the end of the list of commands */
    const struct record *const *records;    /* the records that it prints as JSON, NULL ends;
                                   NULL: it prints no JSON */
    int (*run)(const void *args, int n_operands, char **operands,
               const struct env *env, struct err *e);
};

/* ---- setting options ---- */

/* A command's options, and the args struct that they are set in. */
struct opts {
    const struct cmd *cmd;
    unsigned char *args;
    struct err *e;
    const struct opt *opt[OPTS_MOST];
    int n;
    int n_given;                /* number of options set so far, defaults not counted */
    const struct cmd *const *siblings;  /* the other commands, NULL ends, for hints about options
                                   that cmd does not have; NULL: no such hints */
};

/* Sets args to zeros, then to the defaults. */
int opts_begin(struct opts *opts, const struct cmd *cmd, void *args, struct err *e);

/*
 * Sets an option to a value as typed by a user, which must last as long as args; ignored for a
 * flag. Errors (ERR_USAGE): bad number, out of range (with the range), not a choice (with the
 * choices, or its new name), a text given twice.
 */
int opts_set(struct opts *opts, const struct opt *opt, const char *text);

/* The same for an option given by the user: opts_is_given then is true. */
int opts_give(struct opts *opts, const struct opt *opt, const char *text);

/* Whether an option of this field was given, even with its default value. */
bool opts_is_given(const struct common_args *args, size_t field);

/* Sets ERR_USAGE: no option of this name, which may be followed by "=" (with a hint). */
int opts_unknown(const struct opts *opts, const char *name);

/* Results of opts_parse if help is requested. */
enum { OPTS_HELP = 1, OPTS_SHORT_HELP };

/*
 * Parses argv (argv[0] is the command's name) into args: all zero, then the
 * defaults, then the options; of numbers and choices the last wins.  Returns 0 with *n_operands
 * and *operands; OPTS_HELP for --help and OPTS_SHORT_HELP for -h (printed by the caller);
 * -1 with ERR_USAGE: unknown option (with a hint, also from siblings unless NULL), bad number,
 * out of range (with the range), not a choice (with the choices, or its new name), a text given
 * twice, too many operands.
 * Options are matched by getopt_long, but only by their whole names.
 */
int opts_parse(const struct cmd *cmd, const struct cmd *const *siblings, int argc, char **argv,
               void *args, int *n_operands, char ***operands, struct err *e);

/*
 * The arguments of argv (already accepted by opts_parse) without its name and the options of
 * these names, in any of their spellings: [*n] in arena a.
 */
const char **command_line_words(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                                const char *const *without, int *n);

/*
 * The same for a POSIX shell, a blank before each: " -l 0 'the cat'".  Without --threads, --output,
 * --quiet, --verbose and --profile, which do not affect results, --shard, --resume, --hidden-in and
 * --hidden-out with the layers, which select a part of a run, and --format and --provenance, which
 * follow from the format.  --summary comes first, even if a part implies it.
 * names: absolute paths in options are reduced to their last component.
 */
const char *command_line_rest(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                              bool names);

/* A path as written there: of an absolute one the last component. */
const char *command_line_path(struct arena *a, const char *path);

/* Calls fn for the command's own options (group NULL), those of its groups, and the
 * common ones. */
void opts_each(const struct cmd *cmd,
               void (*fn)(void *self, const struct opt_group *group, const struct opt *o),
               void *self);

/*
 * Claims (base/claims.h) the files that the options in args name, those read and those written,
 * except folders and the default of --output, which output_plan claims.  ERR_USAGE: claims_check.
 */
int opts_claim(const struct cmd *cmd, const void *args, struct arena *a, struct err *e);

/*
 * The path in a value (or one of several) of an option that names files: all of it, or the part
 * after a word that ends with ':' ("keys:FILE").  NULL if it is only a word.
 */
const char *opt_path(const struct opt_values *values, const char *piece);

/* The range of an option: "1..64", "at least 1", "at most 4"; empty if only its type limits it. */
enum { RANGE_SIZE = 80 };
void opts_range(char dst[RANGE_SIZE], const struct opt *opt);

#endif
