/* SPDX-License-Identifier: MIT
 * What whoever starts the work owns: the program's main, or a caller of the library. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct env {
    struct arena *arena;        /* lives as long as what is opened in it */
    struct warn *warn;          /* fn NULL: warnings are dropped */
    bool verbose, quiet;
    int n_threads;
    const char *command;        /* the command line, for metadata; NULL: there was none */
};

#endif
