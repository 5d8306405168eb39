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
    const char *text, *pair;    /* NULL if absent; where there are ids, these are used */
    size_t text_size, pair_size;
    struct json_ids ids, type_ids, decoder_ids, global;
    const char *group;          /* value of the grouping key; NULL if none was given */
};

/*
 * Fills *out from line[n].  by: the grouping key, whose value is a string, a number, true or
 * false; NULL if none.  Errors (ERR_INPUT, without the line's number): no JSON object,
 * neither text nor ids, a list that holds what is not an id, types without ids, two texts for
 * the decoder, a group that is missing, empty or longer than 256 bytes.  Unknown keys are
 * ignored.
 */
int jsonl_read(struct arena *a, const char *line, size_t n, const char *by,
               struct json_line *out, struct err *e);

#endif
