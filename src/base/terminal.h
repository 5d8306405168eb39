/* SPDX-License-Identifier: MIT
 * What can be shown where a text goes: on a terminal, or in a file or a pipe. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

/* How cells of a picture are shown, from the poorest. */
enum terminal_way {
    TERMINAL_DIGITS,            /* without colour */
    TERMINAL_256,               /* half blocks in the 256 colours of xterm */
    TERMINAL_TRUE               /* the same in 24 bits */
};

struct terminal {
    bool is;                    /* not a file or a pipe */
    int columns;                /* >= 1 */
    enum terminal_way way;
};

/* PATH, or standard output for "-", is a terminal. */
bool terminal_is(const char *path);

/*
 * Of PATH.  Columns are those that the terminal reports, else COLUMNS, else 80; the way is
 * that of terminal_colours() for a terminal, and digits for anything else.
 */
void terminal_find(struct terminal *t, const char *path);

/* The columns that COLUMNS says, a number from 1 to 65535; 0: it says nothing.  NULL: not set. */
int terminal_columns(const char *columns);

/*
 * The colours that the variables TERM, COLORTERM and NO_COLOR promise; NULL: not set.
 * NO_COLOR with any value but "", no TERM, one that is "", unknown or "dumb": none.
 */
enum terminal_way terminal_colours(const char *term, const char *colorterm,
                                   const char *no_color);

/* Those of this process's variables. */
enum terminal_way terminal_colours_here(void);

#endif
