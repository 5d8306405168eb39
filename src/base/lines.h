/* SPDX-License-Identifier: MIT
 *
 * A text file line by line. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stddef.h>

#include "base/err.h"

/* Lines of a text file; "-" is standard input; gzip is seen by its content. */
struct lines;

struct lines *lines_open(const char *path, struct err *e);

/*
 * The next line without its "\n" or "\r\n"; NULs inside are kept.  Returns 1
 * with *line (valid until the next call) and *size, 0 at the end, -1 on a read
 * error, a damaged gzip or a line over 1 GiB.
 */
int lines_next(struct lines *l, const char **line, size_t *size, struct err *e);
void lines_close(struct lines *l);

#endif
