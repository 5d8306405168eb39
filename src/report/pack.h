/* SPDX-License-Identifier: MIT
 *
 * Bytes, deflated as they come, kept until they are written as base64: what a browser's
 * DecompressionStream("deflate-raw") takes. */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include <stdio.h>

#include "base/arena.h"

struct pack;                    /* one deflater, for one block after the other */

struct packed {
    const struct pack_chunk *first;
    uint64_t size;              /* deflated, in bytes */
};

/* Its own memory is of a. */
struct pack *pack_new(struct arena *a);

/* A block begins, whose bytes are kept in a. */
void pack_begin(struct pack *p, struct arena *a);
void pack_add(struct pack *p, const void *data, size_t n);
struct packed pack_end(struct pack *p);

/* ferror says whether a write has failed. */
void pack_write(const struct packed *packed, FILE *f);

#endif
