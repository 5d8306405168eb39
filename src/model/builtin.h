/* SPDX-License-Identifier: MIT
 * Models that are part of the program, by name: builtin:decoder is the default. */
#ifndef MODEL_BUILTIN_H
#define MODEL_BUILTIN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/file.h"

/* Their names as -m takes them, the default first; NULL ends. */
extern const char *const builtin_names[];

/* The files of one, which live as long as the program. */
struct builtin {
    struct span config, tokenizer, weights, types;   /* types: of mha-viz types --json */
};

/* Whether path means one of them: NULL, the default; or builtin:NAME, whatever NAME is. */
bool builtin_is(const char *path);

/* ERR_INPUT: path means one that does not exist; the nearest, and those there are. */
int builtin_find(struct builtin *out, const char *path, struct err *e);

/* Those of builtin_names[i], inside the program: of builtin_inside.c, or of whoever has others. */
int builtin_inside(struct builtin *out, int i, struct err *e);

#endif
