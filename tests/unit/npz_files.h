/* SPDX-License-Identifier: MIT
 * Arrays that tests write into a folder of their own. */
#ifndef UNIT_NPZ_FILES_H
#define UNIT_NPZ_FILES_H

#include "unit/weights_files.h"
#include "weights/npz.h"

static struct arena arena;
static const char *dir;

static inline int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    dir = new_dir(&arena);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    drop_dir(&arena, dir);
    arena_finish(&arena);
    return 0;
}

static inline const char *in(const char *name)
{
    return file_join(&arena, dir, name);
}

static inline struct npz *create(const char *name, FILE **f)
{
    *f = fopen(in(name), "wb+");
    assert_non_null(*f);
    return npz_new(&arena, *f);
}

static inline void finish(struct npz *z, FILE *f)
{
    struct err e = { 0 };

    if (npz_finish(z, &e) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(fclose(f), 0);
}

static inline struct weights *reopen(const char *name)
{
    struct err e = { 0 };
    struct weights *w = npz_open(&arena, in(name), &e);

    if (w == NULL)
        fail_msg("%s", e.msg);
    return w;
}

#endif
