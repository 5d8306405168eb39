/* SPDX-License-Identifier: MIT
 *
 * Files mapped whole, and paths. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
