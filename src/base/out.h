/* SPDX-License-Identifier: MIT
 *
 * Output files, written under a temporary name and renamed when they are complete, so that
 * no half-written file is ever visible; "-" is standard output. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum out_flags {
    OUT_SEEKABLE = 1,   /* "-", pipes and devices, too, get a seekable file: an unnamed one, which
                           is copied by the commit */
    OUT_DURABLE = 2,    /* after the commit the file is on the disk: a power cut leaves the
                           old one or the new one complete */
    OUT_PARTIAL = 4     /* the unfinished file is named PATH.partial, so that a run that resumes
                           finds it */
};

/* An output file that is written completely or not at all. */
struct out {
    FILE *file;         /* write here; errors are reported by the commit */
    const char *path;   /* as given by the user; "-" is standard output */
    char *target;       /* the file that is replaced: path with links resolved */
    char *temp;         /* the temporary name; NULL if path is not a regular file */
    char *buffer;       /* buffer of file; NULL: stdio's own */
    FILE *stream;       /* file is copied here by the commit; NULL: path has the file itself */
    int flags;          /* enum out_flags */
    bool kept;          /* out_keep: the unfinished file remains */
};

/*
 * Opens .mha-viz-XXXXXX in the folder of path; if path is a link, even a dangling one, in the
 * folder of its target.  The mode is that of the replaced file.  An open descriptor (/dev/stdout,
 * /dev/fd/N) is written at its present position.
 */
int out_open(struct out *out, const char *path, int flags, struct err *e);

/*
 * For OUT_PARTIAL, for a run that resumes another.  out_keep: makes all bytes so far, *n, durable
 * on the disk, where they remain even if the process or the output is ended.  out_go_on: opens such
 * an output again with its first n bytes, and truncates the rest; ended: path may be complete
 * already, and becomes unfinished again.  ERR_INPUT: there are fewer bytes, or no file.
 */
int out_keep(struct out *out, int64_t *n, struct err *e);
int out_go_on(struct out *out, const char *path, int64_t n, bool ended, struct err *e);
/* Whether path is a file, or may become one: not a stream or a device. */
bool out_is_file(const char *path);

/* The path with links resolved; the last may be dangling.  To be given to free(); NULL: no memory.
 * */
char *out_target(const char *path);

/* Writes n bytes at once, after those written to file; -1, with the reason, if a write fails. */
int out_write(const struct out *out, const void *bytes, size_t n, struct err *e);

/*
 * -1 if a write has failed already, so that a long run can end early; buffered bytes are not
 * checked.
 */
int out_check(const struct out *out, struct err *e);

/*
 * Flushes, checks every write, renames.  On an error no new file is left, and the previous file at
 * path is unchanged.
 */
int out_commit(struct out *out, struct err *e);
void out_abort(struct out *out);      /* removes it; nothing happens after a commit */

/*
 * Removes the temporary files of open outputs, for a process that is about to end: a thread that
 * would open or complete another waits for the end.  Safe in a signal handler, in any thread.
 */
void out_remove_unfinished(void);

#endif
