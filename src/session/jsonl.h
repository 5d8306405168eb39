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
    const char *group;          /* the value of the key by; NULL: none was asked for */
};

/*
 * Fills *out from line[n].  by: the key of what the text is grouped by, a string, a number, true
 * or false; NULL: none.  Errors (ERR_INPUT, without the line's number): no JSON object,
 * neither text nor ids, a list that holds what is not an id, types without ids, two texts for
 * the decoder, a group that is missing, empty or longer than 256 bytes.  Keys that are not
 * known are the file's own.
 */
int jsonl_read(struct arena *a, const char *line, size_t n, const char *by,
               struct json_line *out, struct err *e);

#endif
