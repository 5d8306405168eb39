/* SPDX-License-Identifier: MIT
 *
 * Functions on strings that the C library does not have. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

bool str_ends_with(const char *s, const char *end);
bool str_starts_with(const char *s, const char *begin);

/* The plural ending for n: "1 token", "2 tokens". */
static inline const char *str_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* The end of a noun in -y, such as "query". */
static inline const char *str_plural_y(int64_t n)
{
    return n == 1 ? "y" : "ies";
}

/* A name for a message: cut, with "…", if it is so long that it would hide the rest. */
const char *str_shown(struct arena *a, const char *name);

#endif
