/* SPDX-License-Identifier: MIT
 * What the files of the library share: its handles, and the border that every public
 * function works through. */
#ifndef LIB_LIB_H
#define LIB_LIB_H

#include <setjmp.h>
#include <stdatomic.h>

#include "cli/opt.h"
#include "mhaviz.h"
#include "session/handed.h"
#include "session/input.h"
#include "session/session.h"

struct mhaviz_model {
    struct arena arena;             /* of the model and its tokeniser */
    struct asked asked;             /* nothing but the model */
    struct env env;
    struct session session;
    int (*watch)(void *self, const struct mhaviz_progress *progress);   /* NULL: nobody */
    void *watch_self;
    struct warn warn;               /* of env: those of the opening are kept, then the caller's */
    const char **said;              /* [n_said] those of the opening */
    int n_said;
};

struct mhaviz_text {
    struct arena arena;
    uint64_t model_hash;            /* of the model that it was tokenised for */
    struct item item;
    /* As the program would be given it. */
    char *operand[2];               /* [n_operands] TEXT, TEXT_B */
    int n_operands;
    const char *const *words;       /* options, NULL ends; NULL: none */
    const char *image, *audio, *input;      /* NULL: it is none */
    struct asked_arrays arrays;     /* that words name, for another model that reads them */
    bool whole;                     /* no words that could be tokenised in another way */
    bool in_pieces;                 /* --split: not tokenised */
    struct mhaviz_token *source, *target;   /* [n_source], [n_target] */
    int n_source, n_target;
};

/* What a text of --split is not for. */
#define LIB_IN_PIECES "--split: a text in pieces is only for what makes something of many texts"

/* ---- the border ---- */

struct border {
    jmp_buf back;
    size_t lacking;                 /* bytes that were asked for when memory ran out */
    struct arena call;              /* gone when the public function returns */
    struct progress progress;       /* of border_watch */
    const struct mhaviz_model *watched[HANDED_MOST];    /* whose threads know of it; NULL: none */
    int (*watch)(void *self, const struct mhaviz_progress *progress);
    void *watch_self;
    int64_t told_ns;                /* when the caller was told last */
    atomic_bool stopped;            /* set on any thread: the run ends with MHAVIZ_STOPPED */
};

/*
 * Runs fn and turns what it says into a status.  Memory that runs out in an arena of
 * border_arena(), or in the scratch of a thread, and border_stop(), end it at once.
 */
enum mhaviz_status border_run(int (*fn)(void *self, struct border *border, struct err *e),
                              void *self, struct mhaviz_error *error);

/* An arena that may run out only within this border. */
void border_arena(struct border *border, struct arena *a);

/* Until the run ends its caller, who may stop it, is told how far the models are; second: NULL, or
 * another that computes. */
void border_watch(struct border *border, const struct mhaviz_model *model,
                  const struct mhaviz_model *second);

/* Ends the run with MHAVIZ_STOPPED; on the thread of the public function. */
_Noreturn void border_stop(struct border *border);

/* Fills *error, where it is not NULL, and returns the status. */
enum mhaviz_status border_say(struct mhaviz_error *error, enum mhaviz_status status,
                              const char *message);

/* MHAVIZ_USAGE, for an argument that must not be NULL. */
enum mhaviz_status border_missing(struct mhaviz_error *error, const char *what);

/* The same of a handle. */
enum mhaviz_status border_closed(struct mhaviz_error *error, const char *what);

/* ---- structures of the caller's ---- */

/*
 * What struct_size, the first member of a structure, may be: what sizeof was in each version of
 * mhaviz.h that was released, so that a program need not be compiled again.  A structure only
 * grows, at its end, and then has one size more here.
 */
struct sized {
    const char *name;               /* "input": of the argument, and of struct mhaviz_input */
    const size_t *size;             /* [n] the oldest first; the last is this version's */
    int n;
};

extern const struct sized sized_array, sized_arrays, sized_description, sized_files, sized_input,
                          sized_look, sized_metric_info, sized_option_info, sized_selection,
                          sized_task;

/* The struct_size that the structure says; 0: ERR_USAGE, it is none of those. */
size_t sized_size(const struct sized *type, const void *given, struct err *e);

/* The structure as this version has it: members that the caller's does not have are 0. */
int sized_take(const struct sized *type, void *out, const void *given, struct err *e);

/* given NULL: all that the model has. */
int sized_take_selection(struct mhaviz_selection *out, const struct mhaviz_selection *given,
                         struct err *e);

/* ---- files ---- */

/* ERR_USAGE: what is written, by the claims of writes, is a file of the model or of the text. */
int call_claim(const struct arena *writes, const struct mhaviz_model *model,
               const struct mhaviz_text *text, struct err *e);

/* ---- options ---- */

/* Whether a task takes it: not what handles say already, or is the program's alone.  ERR_USAGE. */
int make_allows(const char *command, const struct opt *o, struct err *e);

/* Whether an option may be given; ERR_USAGE. */
typedef int options_allowed(const char *command, const struct opt *o, struct err *e);
int options_any(const char *command, const struct opt *o, struct err *e);

/* Whether the group has an option of this name. */
bool options_has(const struct opt_group *group, const struct opt *o);

/*
 * Sets the options that words say as of a command line, in long form; NULL ends, or stands for
 * none.  What they say stays as long as the words.  Errors: ERR_USAGE, also for what every command
 * takes (--threads, --help): the library has other ways for it.
 */
int options_take(struct opts *opts, const char *command, const char *const *word,
                 options_allowed *allowed, struct err *e);

/* NULL: there is none of this name. */
const struct opt *options_find(const struct opts *opts, const char *name);

/* Whether words say the same of two texts that were opened, but for lists, of which each has its
 * own, and --truncate, which does nothing to one that was opened without it; NULL: none. */
bool options_alike(const struct opts *opts, const char *const *x, const char *const *y);

const char *const *options_copy(struct arena *a, const char *const *word);

/* ---- arrays ---- */

/* ERR_USAGE: n is below 0; something that must not be NULL is; a struct_size. */
int arrays_check(const struct mhaviz_array *array, int n, struct err *e);

/* Of arrays that were checked. */
struct handed_array *arrays_handed(struct arena *a, const struct mhaviz_array *array, int n);

/* ---- a pass ---- */

/* One text of a model, selected and ready for session_forward(). */
struct call {
    struct session session;         /* the model's, with this selection */
    struct asked asked;
    struct env env;
    struct wanted want;
    const struct item *item;
};

/*
 * selection: of this version.  all: without a stack, every one that the text reaches.
 * Errors: ERR_USAGE as session_select; a text of another model; ERR_INPUT: a decoder without
 * tokens.
 */
int call_begin(struct call *call, struct border *border, const struct mhaviz_model *model,
               const struct mhaviz_text *text, const struct mhaviz_selection *selection,
               bool all, struct err *e);

#endif
