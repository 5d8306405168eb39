/* SPDX-License-Identifier: MIT
 *
 * Claims: lists of the files that a run reads, and of those that it writes, so that no output
 * overwrites an input or another output.  A file is identified by the device and inode of its path;
 * if it does not exist yet, by those of its folder, and its name.  Streams, pipes and devices do
 * not count.  The lists are owned by an arena. */
#ifndef BASE_CLAIMS_H
#define BASE_CLAIMS_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"

/* Claims path as read, if it exists; as: its name in messages, "-f texts.txt". */
void claims_read(struct arena *a, const char *as, const char *path);

/* The same for an open file; info: its fstat. */
void claims_read_open(struct arena *a, const char *path, const struct stat *info);

/* Claims path as written; or the files 000001.EXTENSION, 000002.EXTENSION, ... in a folder. */
void claims_write(struct arena *a, const char *as, const char *path);
void claims_write_in(struct arena *a, const char *folder, const char *extension);

/*
 * ERR_USAGE, with both names: a file written, by the claims of `writes`, is written twice, or read,
 * by the claims of `reads`.
 */
int claims_check(const struct arena *writes, const struct arena *reads, struct err *e);

#endif
