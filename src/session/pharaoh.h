/* SPDX-License-Identifier: MIT
 *
 * Word alignments of pairs of texts in the format of Pharaoh: a line per pair, "0-0 1-2 2?3":
 * word 0 of the first text and word 0 of the second, and so on; ? or p instead of - where the
 * link is possible, but not sure. */
#ifndef SESSION_PHARAOH_H
#define SESSION_PHARAOH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

struct pharaoh_link {
    int source, target;         /* words, from 0 */
    bool sure;
};

struct pharaoh {
    int64_t n;                  /* lines */
    struct pharaoh_line {
        struct pharaoh_link *link;      /* [n] no two of one pair of words */
        int n;
    } *line;
};

/*
 * Reads a whole file; name is for messages.  A link that is given twice counts once, and is sure
 * where it is once.  Errors (ERR_INPUT, with the line): what is not a link.  NULL.
 */
struct pharaoh *pharaoh_read(struct arena *a, struct span bytes, const char *name,
                             struct err *e);

#endif
