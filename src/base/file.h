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

/* The same, owned by a until file_drop, which NULL passes; NULL on errors.  Dropped or not, it is
 * claimed as one that is read (base/claims.h). */
const struct span *file_hold(struct arena *a, const char *path, struct err *e);
void file_drop(struct arena *a, const struct span *held);

bool file_exists(const char *path);         /* anything of that name */
bool file_is_dir(const char *path);

/* The folder that path is, or that the file lies in: ".", "/" or a part of path. */
const char *file_folder(struct arena *a, const char *path);

/* The names in a folder but . and .., sorted by bytes; none where it cannot be read. */
const char **file_list(struct arena *a, const char *dir, size_t *n);

/* The path without links, from the root; NULL: there is nothing of that name. */
const char *file_real(struct arena *a, const char *path);

/* "DIR/NAME" */
char *file_join(struct arena *a, const char *dir, const char *name);

#endif
