/* SPDX-License-Identifier: MIT
 *
 * The standard streams of a command line: warnings and notes to standard error, one line there
 * that says how far the work is, and whether texts may come from standard input. */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

struct console {
    struct warn warn, note;
    struct progress progress;
    int64_t start_ns;           /* when it was opened; later by what was waited since */
    int64_t began_ns;           /* when the work at hand began, so too; 0: there is none */
    int64_t wait_ns;            /* when a wait began; 0: there is none */
    int64_t drawn_ns;           /* when the line was last drawn */
    struct voice {
        const char *kind;       /* "note" */
        char last[640];         /* what was said last: not twice in a row */
    } warning, noting;
};

/*
 * Fills what env says of them: warn and note, which drop all if env->quiet; progress, where
 * standard error is a terminal and not env->quiet; dash and piped.  Standard input may hold
 * texts if it is a pipe or a file, not if it is a terminal, a device, a socket or closed.
 */
void console_open(struct console *c, struct env *env);

enum { CONSOLE_COLUMNS = 120 };     /* of the line, at most */

/* Over the line that is there, which may be longer; in one piece. */
void console_draw(const char *text);

/*
 * Takes the line away, before something else is written to the terminal.  Nothing where there
 * is none; may be called by a signal handler.
 */
void console_hide(void);

/* The same before results are written to standard output: where that is a terminal. */
void console_hide_for_results(void);

/*
 * The line after seconds of the work at hand, without an end: "text 38 of 100, 37%, 5210
 * tokens/s, 0:42 left".  What is not known is left out; the work that is named is the
 * outermost that has more than one unit.
 */
void console_line(char *dst, size_t size, const struct progress *p, double seconds);

#endif
