/* SPDX-License-Identifier: MIT
 * A folder for one run of the program: models of tests/ref, the input's own files, and what
 * the run leaves. */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes it and goes there: a small model's files, others in folders, and an empty one, out. */
void folder_enter(void);

/* An own file, in place of one that is given; a name that is none is left out. */
void folder_write(const char *name, const char *data, size_t size);

/* Whether the path up to its first slash is a folder that every run has. */
bool folder_has(const char *path, const char *slash);

struct folder_left {
    int n;                  /* files that were not there before the run */
    bool unfinished;        /* one of them is a temporary file */
    uint64_t hash;          /* of their names and bytes */
};

/* What the run has left; then goes back to where it was entered, and removes all. */
struct folder_left folder_leave(void);

#endif
