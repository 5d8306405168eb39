/* SPDX-License-Identifier: MIT
 * Properties of an output: a terminal, with its width, colours and graphics, or a file or pipe. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* Ways of showing the cells of a picture, from the poorest. */
enum terminal_way {
    TERMINAL_DIGITS,            /* without colour */
    TERMINAL_256,               /* half blocks in the 256 colours of xterm */
    TERMINAL_TRUE,              /* the same in 24 bits */
    TERMINAL_SIXEL,             /* sixel graphics (VT340) */
    TERMINAL_KITTY              /* a PNG in kitty's graphics protocol */
};

struct terminal {
    bool is;                    /* not a file or a pipe */
    int columns;                /* >= 1 */
    int width_px;               /* their width in pixels; 8 each, if the terminal does not report it
                                   */
    enum terminal_way way;
};

/* Whether path, or standard output for "-", is a terminal. */
bool terminal_is(const char *path);

/*
 * Fills it for path.  Columns are those reported by the terminal, else COLUMNS, else 80; the way is
 * digits if it is not a terminal; else, if ask, that of terminal_ask(), else that of
 * terminal_colours().
 */
void terminal_find(struct terminal *terminal, const char *path, bool ask);

/* The value of COLUMNS, a number from 1 to 65535; 0 if it is not one.  columns NULL: not set. */
int terminal_columns(const char *columns);

/*
 * The colours indicated by the variables TERM, COLORTERM and NO_COLOR; NULL: not set.
 * NO_COLOR with any value but "", no TERM, one that is "", unknown or "dumb": none.
 */
enum terminal_way terminal_colours(const char *term, const char *colorterm,
                                   const char *no_color);

/* The same from this process's variables. */
enum terminal_way terminal_colours_here(void);

/* ---- terminal_ask.c ---- */

/*
 * TERMINAL_KITTY or TERMINAL_SIXEL if the terminal open as fd answers within half a second that it
 * supports them, else `otherwise`; keys typed meanwhile are lost.  Not asked are the Linux console,
 * a terminal without colours, and one whose foreground job is another.
 */
enum terminal_way terminal_ask(int fd, enum terminal_way otherwise);

/* The way according to an answer. */
enum terminal_way terminal_answer(const char *answer, enum terminal_way otherwise);

#endif
