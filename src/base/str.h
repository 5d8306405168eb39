/* SPDX-License-Identifier: MIT
 *
 * What the C library lacks for strings. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>

#include "base/arena.h"

bool str_ends_with(const char *s, const char *end);

/* A name for a message: cut, with "…", where it is so long that it would hide the rest. */
const char *str_shown(struct arena *a, const char *name);

#endif
