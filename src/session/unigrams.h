/* SPDX-License-Identifier: MIT
 *
 * How often tokens occur: lines of an id, a tabulator and a count. */
#ifndef SESSION_UNIGRAMS_H
#define SESSION_UNIGRAMS_H

#include <stdint.h>

#include "base/err.h"
#include "base/file.h"

struct unigrams {
    int64_t *count;             /* [n] by id; NULL: they were not counted */
    int n;
};

/*
 * Reads a whole file, which may begin with the line "id\tcount", into count[n_ids]; name is for
 * messages.  Tokens that it does not list have 0.  Errors (ERR_INPUT, with the line): what is no
 * such line; an id that does not exist, or is there twice; a file without a count above 0.
 */
int unigrams_read(struct span bytes, const char *name, int n_ids, int64_t *count,
                  struct err *e);

#endif
