/* SPDX-License-Identifier: MIT
 * Private interface of the library: its handles, and the border, through which every public
 * function runs. */
#ifndef LIB_LIB_H
#define LIB_LIB_H

#include <setjmp.h>
#include <stdatomic.h>

#include "cli/opt.h"
#include "mhaviz.h"
#include "session/input.h"
#include "session/session.h"
#include "session/source/handed.h"

struct mhaviz_model {
    struct arena arena;             /* memory of the model and its tokeniser */
    struct asked asked;             /* settings of a session: here only the model */
    struct env env;
    struct session session;
    int (*watch)(void *self, const struct mhaviz_progress *progress);   /* NULL: nobody */
    void *watch_self;
    struct warn warn;               /* env's: first stores warnings, then calls the caller's */
    const char **said;              /* [n_said] warnings from opening the model */
    int n_said;
};

struct mhaviz_text {
    struct arena arena;
    uint64_t model_hash;            /* of the model that it was tokenised for */
    struct item item;
    /* The text as it would stand on the program's command line. */
    char *operand[2];               /* [n_operands] TEXT, TEXT_B */
    int n_operands;
    const char *const *words;       /* options, NULL ends; NULL: none */
    const char *image, *audio, *input;      /* file of such an input; else NULL */
    struct asked_arrays arrays;     /* arrays that words name, for another model that reads them */
    bool whole;                     /* it has no words that could be tokenised in another way */
    bool in_pieces;                 /* --split: not tokenised */
    struct mhaviz_token *source, *target;   /* [n_source], [n_target] */
    int n_source, n_target;
};

/* The error of functions that take no text of --split. */
#define LIB_IN_PIECES "--split: a text in pieces is only for what makes something of many texts"

/* ---- the border ---- */

struct border {
    jmp_buf back;
    size_t lacking;                 /* bytes requested when memory ran out */
    struct arena call;              /* memory until the public function returns */
    struct progress progress;       /* of border_watch */
    const struct mhaviz_model *watched[HANDED_MOST];    /* models whose threads report to
                                       progress; NULL ends */
    int (*watch)(void *self, const struct mhaviz_progress *progress);
    void *watch_self;
    int64_t told_ns;                /* time of the last report to the caller */
    atomic_bool stopped;            /* set on any thread: the run ends with MHAVIZ_STOPPED */
};

/*
 * Runs fn and converts its result to a status.  It ends at once if memory runs out in an arena of
 * border_arena(), or in the scratch of a thread, and by border_stop().
 */
enum mhaviz_status border_run(int (*fn)(void *self, struct border *border, struct err *e),
                              void *self, struct mhaviz_error *error);

/* Initialises an arena that may run out of memory only within this border. */
void border_arena(struct border *border, struct arena *a);

/* Reports progress of the models to the caller, who may stop the run, until it ends; second:
 * another model that computes, or NULL. */
void border_watch(struct border *border, const struct mhaviz_model *model,
                  const struct mhaviz_model *second);

/* Ends the run with MHAVIZ_STOPPED; on the thread of the public function. */
_Noreturn void border_stop(struct border *border);

/* Fills *error, unless it is NULL, and returns the status. */
enum mhaviz_status border_say(struct mhaviz_error *error, enum mhaviz_status status,
                              const char *message);

/* MHAVIZ_USAGE, for an argument that must not be NULL. */
enum mhaviz_status border_missing(struct mhaviz_error *error, const char *what);

/* The same for a handle. */
enum mhaviz_status border_closed(struct mhaviz_error *error, const char *what);

/* ---- structures of the caller ---- */

/*
 * The valid values of struct_size, the first member of a structure: its sizeof in each released
 * version of mhaviz.h, so that a program need not be compiled again.  A structure only grows, at
 * its end, and then gets one more size here.
 */
struct sized {
    const char *name;               /* "input": of the argument, and of struct mhaviz_input */
    const size_t *size;             /* [n] the oldest first; the last is this version's */
    int n;
};

extern const struct sized sized_array, sized_arrays, sized_description, sized_files, sized_input,
                          sized_look, sized_metric_info, sized_option_info, sized_selection,
                          sized_task;

/* The structure's struct_size; 0 with ERR_USAGE if it is not valid. */
size_t sized_size(const struct sized *type, const void *given, struct err *e);

/* Copies the structure in this version's layout: members that the caller's lacks are 0. */
int sized_take(const struct sized *type, void *out, const void *given, struct err *e);

/* The same for a selection; given NULL: everything. */
int sized_take_selection(struct mhaviz_selection *out, const struct mhaviz_selection *given,
                         struct err *e);

/* ---- files ---- */

/* ERR_USAGE: a file written, by the claims of `writes`, is one of the model or of the text. */
int call_claim(const struct arena *writes, const struct mhaviz_model *model,
               const struct mhaviz_text *text, struct err *e);

/* ---- options ---- */

/* Whether a task accepts an option: not one that handles replace, or only the program has.
 * ERR_USAGE. */
int make_allows(const char *command, const struct opt *opt, struct err *e);

/* Whether an option may be given; ERR_USAGE. */
typedef int options_allowed(const char *command, const struct opt *o, struct err *e);
int options_any(const char *command, const struct opt *opt, struct err *e);

/* Whether the group has an option of this name. */
bool options_has(const struct opt_group *group, const struct opt *opt);

/*
 * Sets options from words of a command line, in long form; NULL ends, or NULL for none.  Values are
 * borrowed from the words.  Errors: ERR_USAGE, also for options of every command (--threads,
 * --help), for which the library has other ways.
 */
int options_take(struct opts *opts, const char *command, const char *const *word,
                 options_allowed *allowed, struct err *e);

/* The option of this name; NULL if there is none. */
const struct opt *options_find(const struct opts *opts, const char *name);

/* Whether the words of two open texts give the same options, except lists, which differ, and
 * --truncate, which has no effect on a text opened without it; NULL: none. */
bool options_alike(const struct opts *opts, const char *const *x, const char *const *y);

const char *const *options_copy(struct arena *a, const char *const *word);

/* ---- arrays ---- */

/* ERR_USAGE: n is below 0; something that must not be NULL is; a struct_size. */
int arrays_check(const struct mhaviz_array *array, int n, struct err *e);

/* Converts checked arrays. */
struct handed_array *arrays_handed(struct arena *a, const struct mhaviz_array *array, int n);

/* ---- a pass ---- */

/* One text of a model, selected and ready for session_forward(). */
struct call {
    struct session session;         /* a share of the model's, with this selection */
    struct asked asked;
    struct env env;
    struct wanted want;
    const struct item *item;
};

/*
 * selection: in this version's layout.  all: without a stack, every one that the text reaches.
 * Errors: ERR_USAGE as session_select; a text of another model; ERR_INPUT: a decoder without
 * tokens.
 */
int call_begin(struct call *call, struct border *border, const struct mhaviz_model *model,
               const struct mhaviz_text *text, const struct mhaviz_selection *selection,
               bool all, struct err *e);

#endif
