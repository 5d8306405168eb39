/* SPDX-License-Identifier: MIT
 *
 * Packed blocks: bytes, deflated as they are added, stored until they are written as base64, for a
 * browser's DecompressionStream("deflate-raw"). */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include <stdio.h>

#include "base/arena.h"
#include "base/par.h"

struct pack;                    /* one deflater, for one block after the other */

/*
 * The kind of data.  Codes of weights repeat almost only in runs, mostly of zeros (deflate.h).
 */
enum pack_kind { PACK_WORDS, PACK_CODES };

struct packed {
    const struct pack_chunk *first;
    uint64_t size;              /* deflated bytes */
};

/* A packer; its own memory is in arena a. */
struct pack *pack_new(struct arena *a, enum pack_kind kind);

/* Begins a block, whose bytes are stored in arena a. */
void pack_begin(struct pack *pack, struct arena *a);
void pack_add(struct pack *pack, const void *data, size_t n);
struct packed pack_end(struct pack *pack);

/*
 * A block of parts that are deflated separately, by the threads of par: the same bytes for any
 * number of threads.  Parts are codes.
 */
struct pack_part {
    const void *data;
    size_t n;
};

struct packed pack_parts(struct arena *a, const struct pack_part *part, int n, struct par *par);

/* Writes it as base64; ferror tells whether a write has failed. */
void pack_write(const struct packed *packed, FILE *file);

#endif
