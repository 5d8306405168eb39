/* SPDX-License-Identifier: MIT
 * Quoting of words for a POSIX shell. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

#include "base/arena.h"

/*
 * s as one word, in arena a: unchanged if no character is special to a shell, else in single
 * quotes.  Bytes that are not UTF-8, controls except a line feed
 * (utf8_is_control) and noncharacters are written as "$(printf '\\033')", so that what
 * comes out is UTF-8 that can be shown and stored in any format.
 */
char *shell_word(struct arena *a, const char *s);

#endif
