/* SPDX-License-Identifier: MIT
 *
 * Counts of tokens in a corpus, from a file of lines: an id, a tab and a count. */
#ifndef SESSION_UNIGRAMS_H
#define SESSION_UNIGRAMS_H

#include <stdint.h>

#include "base/err.h"
#include "base/file.h"

struct unigrams {
    int64_t *count;             /* [n] by id; NULL: no counts */
    int n;
};

/*
 * Reads a whole file, which may begin with the line "id\tcount", into count[n_ids]; name is for
 * messages.  Tokens that are not listed have 0.  Errors (ERR_INPUT, with the line): not such a
 * line; an id that does not exist, or occurs twice; a file without a count above 0.
 */
int unigrams_read(struct span bytes, const char *name, int n_ids, int64_t *count,
                  struct err *e);

#endif
