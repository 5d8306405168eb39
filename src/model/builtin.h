/* SPDX-License-Identifier: MIT
 * Models inside the program, by name: builtin:decoder is the default. */
#ifndef MODEL_BUILTIN_H
#define MODEL_BUILTIN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/file.h"

/* Their names for -m, the default first; NULL ends. */
extern const char *const builtin_names[];

/* The files of a model; they last as long as the program. */
struct builtin {
    struct span config, tokenizer, weights, types;   /* types: output of mha-viz types --json */
};

/* Whether path names one: NULL, the default; or builtin:NAME, with any NAME. */
bool builtin_is(const char *path);

/* ERR_INPUT: no such model; with the nearest name, and all names. */
int builtin_find(struct builtin *out, const char *path, struct err *e);

/* The files of builtin_names[i], defined by builtin_inside.c, or by a program with others. */
int builtin_inside(struct builtin *out, int i, struct err *e);

#endif
