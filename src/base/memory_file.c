/* SPDX-License-Identifier: MIT
 * Bytes of a stream -> memory, which grows with them. */
#include "base/memory_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/arena.h"

enum { LEAST_BYTES = 4096 };

static bool memory_file_make_room(struct memory_file *f, size_t n)
{
    size_t room = f->room > LEAST_BYTES ? f->room : LEAST_BYTES;
    char *data;

    if (n <= f->room - f->size)
        return true;
    while (room - f->size < n) {
        if (room > (size_t)-1 / 2)
            return false;
        room *= 2;
    }
    data = realloc(f->data, room);
    if (data == NULL)
        return false;
    f->data = data;
    f->room = room;
    return true;
}

/* 0: an error, as fopencookie has it. */
static ssize_t memory_file_take(void *self, const char *bytes, size_t n)
{
    struct memory_file *f = self;

    f->failed = f->failed || !memory_file_make_room(f, n);
    if (f->failed)
        return 0;
    memcpy(f->data + f->size, bytes, n);
    f->size += n;
    return (ssize_t)n;
}

int memory_file_open(struct memory_file *f)
{
    *f = (struct memory_file){ NULL };
    f->file = fopencookie(f, "w", (cookie_io_functions_t){ .write = memory_file_take });
    return f->file != NULL ? 0 : -1;
}

int memory_file_close(struct memory_file *f)
{
    bool failed = ferror(f->file) != 0;

    failed = fclose(f->file) != 0 || f->failed || failed;
    f->file = NULL;
    if (!failed && memory_file_make_room(f, 1))
        return 0;
    memory_file_drop(f);
    return -1;
}

void memory_file_drop(void *file)
{
    struct memory_file *f = file;

    if (f->file != NULL)
        fclose(f->file);
    free(f->data);
    *f = (struct memory_file){ NULL };
}

struct memory_file *memory_file_new(struct arena *a)
{
    struct memory_file *f = arena_alloc(a, 1, sizeof *f);

    arena_own(a, memory_file_drop, f);
    if (memory_file_open(f) != 0)
        arena_fail(a, 0);
    return f;
}
