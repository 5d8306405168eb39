/* SPDX-License-Identifier: MIT
 *
 * A stream in memory, for functions that write to streams.  Unlike glibc's open_memstream, which
 * silently drops bytes when memory runs out, it reports that. */
#ifndef BASE_MEMORY_FILE_H
#define BASE_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct arena;

struct memory_file {
    FILE *file;                 /* write here; NULL after closing */
    char *data;                 /* [size] the bytes, after closing; to be given to free() */
    size_t size, room;
    bool failed;                /* there was not enough memory */
};

/* Opens it; file must not be moved until it is closed.  Returns 0, or -1: no memory. */
int memory_file_open(struct memory_file *file);

/* Closes it; returns 0, or -1 with data NULL if there was no memory for all bytes. */
int memory_file_close(struct memory_file *file);

/* Closes it if it is open, and frees its bytes. */
void memory_file_drop(void *f);

/*
 * An open memory file owned by the arena, for writers that allocate from an arena whose handler may
 * leave by longjmp: it is dropped with the arena, or earlier by arena_release.  Without memory for
 * it the handler is called.
 */
struct memory_file *memory_file_new(struct arena *a);

#endif
