/* SPDX-License-Identifier: MIT
 *
 * Files in: mapped whole, or read line by line ("-" and .gz too).
 * Files out: written beside their name and renamed when complete, so nothing
 * half-written is ever seen; "-" is standard output. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct span {                       /* bytes that somebody else owns */
    const unsigned char *data;
    size_t size;
};

/*
 * Maps a regular file read-only; an empty file gives size 0.  Errors: not
 * there, not readable, not a regular file (a fifo or a device would block).
 */
int file_map(const char *path, struct span *out, struct err *e);
void file_unmap(struct span s);

bool file_exists(const char *path);         /* anything of that name */
bool file_is_dir(const char *path);

/* The folder that path is, or that the file lies in: ".", "/" or a part of path. */
const char *file_folder(struct arena *a, const char *path);

/* "DIR/NAME" */
char *file_join(struct arena *a, const char *dir, const char *name);

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

/* An output that is there completely or not at all. */
struct out {
    FILE *file;         /* write here; errors are seen at the commit */
    const char *path;   /* as the user said it; "-" is standard output */
    char *temp;         /* the name beside it; NULL for standard output */
};

/*
 * Opens PATH.tmp-XXXXXX beside PATH (beside its file, where PATH is a link).
 * seekable: also "-" gets a file that can be sought (an unnamed one, copied to
 * standard output by the commit).  SIGINT and SIGTERM remove the file if
 * out_on_signal was called before.
 */
int out_open(struct out *o, const char *path, bool seekable, struct err *e);

/*
 * Flushes, checks every write, renames.  On an error nothing is left behind,
 * and what stood at PATH before still stands there.
 */
int out_commit(struct out *o, struct err *e);
void out_abort(struct out *o);      /* removes it; nothing happens after a commit */

/*
 * Makes SIGINT and SIGTERM remove unfinished outputs and then end the process;
 * exit removes them too (memory that runs out in the middle of a write).
 */
void out_on_signal(void);

#endif
