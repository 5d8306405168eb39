/* SPDX-License-Identifier: MIT
 *
 * A text file line by line. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Lines of a text file; "-" is standard input; gzip is seen by its content. */
struct lines;

struct lines *lines_open(const char *path, struct err *e);

/*
 * Standard input can be read more than once from here on: what it holds is copied to a
 * temporary file, from which each lines_open("-") begins anew.  Nothing where that was done.
 */
int lines_keep_stdin(struct err *e);

/*
 * The next line without its "\n" or "\r\n"; NULs inside are kept.  Returns 1
 * with *line (valid until the next call) and *size, 0 at the end, -1 on a read
 * error, a damaged gzip or a line over 64 MiB, which no tokeniser takes.
 */
int lines_next(struct lines *l, const char **line, size_t *size, struct err *e);

/* Whether lines_next gives a line, or the end, without waiting for whoever writes: of a file
 * always. */
bool lines_ready(const struct lines *l);

/* What lines_next has not taken yet, all of it, as one line; otherwise the same.  It is 1 GiB at
 * most. */
int lines_rest(struct lines *l, const char **text, size_t *size, struct err *e);

/* Waits at most so long for standard input to hold something, or end; false: nothing came. */
bool lines_wait_stdin(int at_most_ms);

/*
 * The share of the file's bytes that the lines taken so far are, in [0, 1]; nearly so in a
 * compressed one.  NaN: it is not known, as of a pipe.
 */
double lines_share(const struct lines *l);

void lines_close(struct lines *l);

#endif
