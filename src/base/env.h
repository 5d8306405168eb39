/* SPDX-License-Identifier: MIT
 * The environment of a run: arena, warnings, progress, command line.  Owned by the program's main,
 * or by a caller of the library. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/meter.h"
#include "base/progress.h"

struct cmd;

struct env {
    struct arena *arena;        /* memory of all that is opened in the run */
    struct warn *warn;          /* fn NULL: warnings are dropped */
    struct warn *note;          /* receiver of notes, which are no faults; NULL: dropped */
    struct progress *progress;  /* progress of this thread's work; NULL: not shown */
    struct meter *meter;        /* meter of its time; NULL: not measured */
    bool dash;                  /* "-" means standard input, on a command line */
    bool piped;                 /* standard input may have texts, if none are given */
    bool again;                 /* standard input is read more than once */
    bool verbose, quiet;
    int n_threads;
    const struct cmd *cmd;      /* command (cli/opt.h); NULL: no command line */
    int argc;                   /* its command line, from the command's name on */
    char **argv;
};

#endif
