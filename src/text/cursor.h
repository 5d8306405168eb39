/* SPDX-License-Identifier: MIT
 * Places in a text, as byte and as character. */
#ifndef TEXT_CURSOR_H
#define TEXT_CURSOR_H

#include "base/arena.h"

enum { CURSOR_STRIDE = 256 };

/* A place in a text, known as byte and as character; it walks both ways, or jumps. */
struct cursor {
    struct arena *a;
    const char *s;
    size_t n;
    int byte, chars;
    int *before;                /* [n / CURSOR_STRIDE + 1] characters that begin before
                                   every so many bytes; NULL: not needed so far */
};

/* To the byte, or to the character, of that number: 0 to n, or to their count. */
void cursor_to_byte(struct cursor *c, int byte);
void cursor_to_char(struct cursor *c, int chars);

#endif
