/* SPDX-License-Identifier: MIT
 * A word of a command line, as a POSIX shell reads it. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

#include "base/arena.h"

/*
 * s as one word, of arena a: as it is where it has nothing that a shell would read in another
 * way, else in single quotes.  Bytes that are not UTF-8, controls but a line feed
 * (utf8_is_control) and noncharacters are written as "$(printf '\\033')", so that what
 * comes out is UTF-8 that can be shown and stored in any format.
 */
char *shell_word(struct arena *a, const char *s);

#endif
