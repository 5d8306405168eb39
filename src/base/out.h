/* SPDX-License-Identifier: MIT
 *
 * Files that are written beside their name and renamed when they are complete, so that
 * nothing half-written is ever seen; "-" is standard output. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum out_flags {
    OUT_SEEKABLE = 1,   /* also "-", pipes and devices get a file that can be sought: an
                           unnamed one, copied there by the commit */
    OUT_DURABLE = 2,    /* after the commit the file is on the disk: a power cut leaves the
                           old one or the new one, whole */
    OUT_PARTIAL = 4     /* what is unfinished has the name PATH.partial: for a run that begins
                           again where it was killed, and so uses the same name again */
};

/* An output that is there completely or not at all. */
struct out {
    FILE *file;         /* write here; errors are seen at the commit */
    const char *path;   /* as the user said it; "-" is standard output */
    char *target;       /* the file that is replaced: path, its links followed */
    char *temp;         /* the name beside it; NULL: none, as path is not a regular file */
    char *buffer;       /* of file; NULL: its own */
    FILE *stream;       /* file is copied here by the commit; NULL: path has the file itself */
    int flags;          /* enum out_flags */
    bool kept;          /* out_keep: what is unfinished stays */
};

/*
 * Opens .mha-viz-XXXXXX in the folder of PATH; where PATH is a link, also one that leads
 * nowhere yet, in the folder that it leads to.  The mode is that of the file it replaces.  A
 * descriptor that is open (/dev/stdout, /dev/fd/N) is written to where it stands.
 */
int out_open(struct out *o, const char *path, int flags, struct err *e);

/*
 * Of OUT_PARTIAL, for a run that begins again where it was ended.  out_keep: all that was
 * written, *n bytes, is on the disk and stays there, also where the process or the output is
 * ended.  out_go_on: opens such an output again, with its first n bytes, and cuts off what lies
 * after them; ended: PATH may be complete already, and is unfinished again.  ERR_INPUT: there
 * are fewer bytes; none.
 */
int out_keep(struct out *o, int64_t *n, struct err *e);
int out_go_on(struct out *o, const char *path, int64_t n, bool ended, struct err *e);
/* Whether PATH names a file, or may: no stream and no device. */
bool out_is_file(const char *path);

/* The path without links; the last of them may lead to what is not there yet.  To be given to
 * free(); NULL: no memory. */
char *out_target(const char *path);

/* n bytes at once, after what was written to file; -1, with the reason, where a write fails. */
int out_write(const struct out *o, const void *bytes, size_t n, struct err *e);

/*
 * -1 where a write has failed already, so that a long run need not go on; what is still
 * buffered is not asked.
 */
int out_check(const struct out *o, struct err *e);

/*
 * Flushes, checks every write, renames.  On an error nothing is left behind,
 * and what stood at PATH before still stands there.
 */
int out_commit(struct out *o, struct err *e);
void out_abort(struct out *o);      /* removes it; nothing happens after a commit */

/*
 * Removes the temporary files of outputs that are open, for a process that is about to
 * end: a thread that would open or complete another waits for the end.  Safe in a signal
 * handler, in any thread.
 */
void out_remove_unfinished(void);

#endif
