/* SPDX-License-Identifier: MIT
 * What can be shown where a text goes: on a terminal, or in a file or a pipe. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* How cells of a picture are shown, from the poorest. */
enum terminal_way {
    TERMINAL_DIGITS,            /* without colour */
    TERMINAL_256,               /* half blocks in the 256 colours of xterm */
    TERMINAL_TRUE,              /* the same in 24 bits */
    TERMINAL_SIXEL,             /* a picture, as a VT340 draws it */
    TERMINAL_KITTY              /* a PNG, as kitty draws it */
};

struct terminal {
    bool is;                    /* not a file or a pipe */
    int columns;                /* >= 1 */
    int width_px;               /* of them, in pixels; of a terminal that does not say, 8 each */
    enum terminal_way way;
};

/* PATH, or standard output for "-", is a terminal. */
bool terminal_is(const char *path);

/*
 * Of PATH.  Columns are those that the terminal reports, else COLUMNS, else 80; the way is
 * digits for what is no terminal; else, if ask, what terminal_ask() says, else that of
 * terminal_colours().
 */
void terminal_find(struct terminal *t, const char *path, bool ask);

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

/* ---- terminal_ask.c ---- */

/*
 * TERMINAL_KITTY or TERMINAL_SIXEL where the terminal that is open as fd answers within half a
 * second that it can; what is typed meanwhile is lost.  Not asked are the console of Linux, a
 * terminal without colours, and one that another job is in front of.
 */
enum terminal_way terminal_ask(int fd, enum terminal_way otherwise);

/* What an answer says. */
enum terminal_way terminal_answer(const char *answer, enum terminal_way otherwise);

#endif
