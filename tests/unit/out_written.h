/* SPDX-License-Identifier: MIT
 * Outputs that are written in a folder of the test. */
#ifndef UNIT_OUT_WRITTEN_H
#define UNIT_OUT_WRITTEN_H

#include "folder.h"

#include "base/out.h"

/* The file has what was written; nothing else is in the folder but `others`. */
static inline void check_written(const char *path, const char *want, int others)
{
    char text[64];

    read_file(path, text, sizeof text);
    assert_string_equal(text, want);
    assert_int_equal(entries(), 1 + others);
}

static inline void write_to(const char *path, int flags, const char *text)
{
    struct out o;
    struct err e = { ERR_NONE, "" };

    if (out_open(&o, path, flags, &e) != 0)
        fail_msg("%s", e.msg);
    fputs(text, o.file);
    if (out_commit(&o, &e) != 0)
        fail_msg("%s", e.msg);
}

#endif
