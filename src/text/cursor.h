/* SPDX-License-Identifier: MIT
 * Cursors: positions in a text, in bytes and in characters at once. */
#ifndef TEXT_CURSOR_H
#define TEXT_CURSOR_H

#include "base/arena.h"

enum { CURSOR_STRIDE = 256 };

/* A position, which moves both ways step by step, or jumps. */
struct cursor {
    struct arena *a;
    const char *s;
    size_t n;
    int byte, chars;
    int *before;                /* [n / CURSOR_STRIDE + 1] number of characters before every
                                   CURSOR_STRIDE bytes; NULL: not required so far */
};

/* Moves to a byte, 0 to n; or to a character, 0 to their number. */
void cursor_to_byte(struct cursor *cursor, int byte);
void cursor_to_char(struct cursor *cursor, int chars);

#endif
