/* SPDX-License-Identifier: MIT
 *
 * A line of a --jsonl file -> the text, or the ids, that it gives. */
#ifndef SESSION_JSONL_H
#define SESSION_JSONL_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct json_ids {
    int *id;                    /* NULL: the line has no such list */
    int n;
};

struct json_line {
    const char *text, *pair;    /* NULL: none; ids count, not the text beside them */
    size_t text_size, pair_size;
    struct json_ids ids, type_ids, decoder_ids, global;
};

/*
 * Fills *out from line[n].  Errors (ERR_INPUT, without the line's number): no JSON object,
 * neither text nor ids, a list that holds what is not an id, types without ids, two texts for
 * the decoder.  Keys that are not known are the file's own.
 */
int jsonl_read(struct arena *a, const char *line, size_t n, struct json_line *out,
               struct err *e);

#endif
