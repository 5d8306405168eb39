/* SPDX-License-Identifier: MIT
 * Safetensors files as the tests want them, right or wrong. */
#ifndef WEIGHTS_FILES_H
#define WEIGHTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"

/* Length, header as it is, n_data bytes 0, 1, 2 .. */
static inline struct span st_bytes(struct arena *a, const char *header, size_t n_header,
                                   size_t n_data)
{
    unsigned char *p = arena_alloc(a, 8 + n_header + n_data, 1);

    bytes_put(p, n_header, 8);
    memcpy(p + 8, header, n_header);
    for (size_t i = 0; i < n_data; i++)
        p[8 + n_header + i] = (unsigned char)i;
    return (struct span){ p, 8 + n_header + n_data };
}

static inline void write_file(const char *path, struct span s)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(s.data, 1, s.size, f), s.size);
    assert_int_equal(fclose(f), 0);
}

static inline void write_text(const char *path, const char *s)
{
    write_file(path, (struct span){ (const unsigned char *)s, strlen(s) });
}

/* A fresh folder; drop_dir removes it with all in it. */
static inline char *new_dir(struct arena *a)
{
    char *dir = arena_strdup(a, "/tmp/mha-viz-test-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static inline void drop_dir(struct arena *a, const char *dir)
{
    assert_int_equal(system(arena_printf(a, "rm -rf '%s'", dir)), 0);
}

#endif
