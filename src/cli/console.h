/* SPDX-License-Identifier: MIT
 *
 * The standard streams of a command line: warnings, notes and a progress line on standard error,
 * and whether texts may come from standard input. */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

struct console {
    struct warn warn, note;
    struct progress progress;
    int64_t start_ns;           /* time of console_open, plus the waits since */
    int64_t began_ns;           /* start of the present work, plus the waits since; 0: no work */
    int64_t wait_ns;            /* start of the present wait; 0: not waiting */
    int64_t drawn_ns;           /* time at which the line was last drawn */
    struct voice {
        const char *kind;       /* "note" */
        char last[640];         /* the last message, which is not repeated */
    } warning, noting;
};

/*
 * Sets in env: warn and note, which drop all if env->quiet; progress, if standard error is a
 * terminal and not env->quiet; dash and piped.  Standard input may have texts if it is a pipe or a
 * file, not if it is a terminal, a device, a socket or closed.
 */
void console_open(struct console *console, struct env *env);

enum { CONSOLE_COLUMNS = 120 };     /* greatest width of the progress line */

/* Replaces the progress line by text, in one write; the old line may be longer. */
void console_draw(const char *text);

/*
 * Removes the line, if there is one, before other output to the terminal; may be called by a signal
 * handler.
 */
void console_hide(void);

/* The same before results are written to standard output, if that is a terminal. */
void console_hide_for_results(void);

/*
 * The line after so many seconds of the present work, without line feed: "text 38 of 100, 37%, 5210
 * tokens/s, 0:42 left".  Unknown items are left out; the work named is the outermost with more
 * than one unit.
 */
void console_line(char *dst, size_t size, const struct progress *progress, double seconds);

#endif
