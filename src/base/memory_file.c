/* SPDX-License-Identifier: MIT
 * Bytes of a stream -> memory, which grows with them. */
#include "base/memory_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/arena.h"

enum { LEAST_BYTES = 4096 };

static bool memory_file_make_room(struct memory_file *file, size_t n)
{
    size_t room = file->room > LEAST_BYTES ? file->room : LEAST_BYTES;
    char *data;

    if (n <= file->room - file->size)
        return true;
    while (room - file->size < n) {
        if (room > (size_t)-1 / 2)
            return false;
        room *= 2;
    }
    data = realloc(file->data, room);
    if (data == NULL)
        return false;
    file->data = data;
    file->room = room;
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

int memory_file_open(struct memory_file *file)
{
    *file = (struct memory_file){ NULL };
    file->file = fopencookie(file, "w", (cookie_io_functions_t){ .write = memory_file_take });
    return file->file != NULL ? 0 : -1;
}

int memory_file_close(struct memory_file *file)
{
    bool failed = ferror(file->file) != 0;

    failed = fclose(file->file) != 0 || file->failed || failed;
    file->file = NULL;
    if (!failed && memory_file_make_room(file, 1))
        return 0;
    memory_file_drop(file);
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
