/* SPDX-License-Identifier: MIT
 *
 * Which files a run reads, and which it writes, so that no output takes the place of an input or
 * of another output.  A file is what a path leads to, by whatever name: its device and inode;
 * where nothing is there yet, its folder's, and its name in that.  Streams, pipes and devices are
 * none.  Both lists are kept by an arena, as long as what else was allocated with them. */
#ifndef BASE_CLAIMS_H
#define BASE_CLAIMS_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"

/* path is read, if it is there; as: what messages call it, "-f texts.txt". */
void claims_read(struct arena *a, const char *as, const char *path);

/* The same of a file that is open, of which info is. */
void claims_read_open(struct arena *a, const char *path, const struct stat *info);

/* path is written; in a folder 000001.EXTENSION, 000002.EXTENSION and so on. */
void claims_write(struct arena *a, const char *as, const char *path);
void claims_write_in(struct arena *a, const char *folder, const char *extension);

/*
 * ERR_USAGE, with both names: one of the files that are written, by the list of writes, is
 * another one of that list, or of those that are read, by the list of reads.
 */
int claims_check(const struct arena *writes, const struct arena *reads, struct err *e);

#endif
