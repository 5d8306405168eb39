/* SPDX-License-Identifier: MIT
 *
 * A stream whose bytes stay in memory, for what writes to streams.  glibc's own, open_memstream,
 * leaves out the bytes that it has no memory for, and goes on as if nothing were missing. */
#ifndef BASE_MEMORY_FILE_H
#define BASE_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct arena;

struct memory_file {
    FILE *file;                 /* NULL: it is closed */
    char *data;                 /* [size] once it is closed, to be given to free() */
    size_t size, room;
    bool failed;                /* there was no memory for all of it */
};

/* f stays where it is until it is closed.  Returns 0, or -1: no memory. */
int memory_file_open(struct memory_file *f);

/* Returns 0, or -1 where there was no memory for all that was written, and data is NULL. */
int memory_file_close(struct memory_file *f);

/* Closes it where it is open, and frees its bytes. */
void memory_file_drop(void *f);

/*
 * An open one that goes with the arena, for writers that allocate from an arena, whose handler may
 * leave by longjmp: it is dropped by then, or earlier by arena_release.  Without memory for it the
 * handler is called.
 */
struct memory_file *memory_file_new(struct arena *a);

#endif
