/* SPDX-License-Identifier: MIT
 *
 * Files mapped into memory as a whole, and paths. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct span {                       /* borrowed bytes */
    const unsigned char *data;
    size_t size;
};

/*
 * Maps a regular file read-only; an empty file gives size 0.  Errors: not
 * there, not readable, not a regular file (a fifo or a device would block).
 */
int file_map(const char *path, struct span *out, struct err *e);
void file_unmap(struct span s);

/* The same, owned by arena a until file_drop (which accepts NULL); NULL on errors.  The file is
 * claimed as read (base/claims.h). */
const struct span *file_hold(struct arena *a, const char *path, struct err *e);
void file_drop(struct arena *a, const struct span *held);

bool file_exists(const char *path);         /* whether anything has that name */
bool file_is_dir(const char *path);

/* path if it is a folder, else the folder of the file: ".", "/" or a part of path. */
const char *file_folder(struct arena *a, const char *path);

/* The names in a folder except . and .., sorted by bytes; none if it cannot be read. */
const char **file_list(struct arena *a, const char *dir, size_t *n);

/* The absolute path with links resolved; NULL if it does not exist. */
const char *file_real(struct arena *a, const char *path);

/* "DIR/NAME" */
char *file_join(struct arena *a, const char *dir, const char *name);

#endif
