/* SPDX-License-Identifier: MIT
 * What whoever starts the work owns: the program's main, or a caller of the library. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/meter.h"
#include "base/progress.h"

struct cmd;

struct env {
    struct arena *arena;        /* lives as long as what is opened in it */
    struct warn *warn;          /* fn NULL: warnings are dropped */
    struct warn *note;          /* what is good to know, but no fault; NULL: dropped */
    struct progress *progress;  /* of this thread's work; NULL: nobody shows it */
    struct meter *meter;        /* of where its time goes; NULL: nobody measures */
    bool dash;                  /* the operand - is standard input: of a command line */
    bool piped;                 /* it may hold texts, where none are given */
    bool again;                 /* it is read more than once */
    bool verbose, quiet;
    int n_threads;
    const struct cmd *cmd;      /* cli/opt.h: of the command line; NULL: there was none */
    int argc;                   /* it, as it was given, from the command's name on */
    char **argv;
};

#endif
