/* SPDX-License-Identifier: MIT
 *
 * A text file line by line. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Lines of a text file; "-" is standard input; gzip is recognised by its content. */
struct lines;

struct lines *lines_open(const char *path, struct err *e);

/*
 * Makes standard input readable more than once: copies it to a temporary file, from which each
 * lines_open("-") begins anew.  Does nothing if that was done.
 */
int lines_keep_stdin(struct err *e);

/*
 * The next line without its "\n" or "\r\n"; NULs inside are kept.  Returns 1
 * with *line (valid until the next call) and *size, 0 at the end, -1 on a read
 * error, a damaged gzip or a line over 64 MiB, which no tokeniser takes.
 */
int lines_next(struct lines *lines, const char **line, size_t *size, struct err *e);

/* Whether lines_next returns without waiting for a writer; always true for a file. */
bool lines_ready(const struct lines *lines);

/* The rest of the file, of at most 1 GiB, as one line; otherwise as lines_next. */
int lines_rest(struct lines *lines, const char **text, size_t *size, struct err *e);

/* Waits at most so long for data or the end of standard input; false: nothing came. */
bool lines_wait_stdin(int at_most_ms);

/*
 * The fraction of the file's bytes that was read so far, in [0, 1]; approximate for a compressed
 * one. NaN: unknown, as for a pipe.
 */
double lines_share(const struct lines *lines);

void lines_close(struct lines *lines);

#endif
