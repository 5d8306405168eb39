/* SPDX-License-Identifier: MIT
 *
 * Files that are written beside their name and renamed when they are complete, so that
 * nothing half-written is ever seen; "-" is standard output. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* An output that is there completely or not at all. */
struct out {
    FILE *file;         /* write here; errors are seen at the commit */
    const char *path;   /* as the user said it; "-" is standard output */
    char *temp;         /* the name beside it; NULL: none, as path is no regular file */
    FILE *stream;       /* file is copied here by the commit; NULL: path has the file itself */
};

/*
 * Opens PATH.tmp-XXXXXX beside PATH (beside its file, where PATH is a link).
 * seekable: also "-", pipes and devices get a file that can be sought (an unnamed one,
 * copied there by the commit).
 */
int out_open(struct out *o, const char *path, bool seekable, struct err *e);

/*
 * Flushes, checks every write, renames.  On an error nothing is left behind,
 * and what stood at PATH before still stands there.
 */
int out_commit(struct out *o, struct err *e);
void out_abort(struct out *o);      /* removes it; nothing happens after a commit */

/*
 * Removes the temporary files of outputs that are open, for a process that is about to
 * end.  Safe in a signal handler.
 */
void out_remove_unfinished(void);

#endif
