/* SPDX-License-Identifier: MIT
 *
 * Word alignments of pairs of texts in Pharaoh format: a line per pair, "0-0 1-2 2?3" links word 0
 * of the first text with word 0 of the second, and so on; ? or p in place of - marks a link that is
 * possible, but not sure. */
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
        struct pharaoh_link *link;      /* [n] at most one per pair of words */
        int n;
    } *line;
};

/*
 * Reads a whole file; name is for messages.  A link given twice counts once, and is sure if either
 * is.  NULL with an error (ERR_INPUT, with the line): not a link.
 */
struct pharaoh *pharaoh_read(struct arena *a, struct span bytes, const char *name,
                             struct err *e);

#endif
