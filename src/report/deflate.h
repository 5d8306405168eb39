/* SPDX-License-Identifier: MIT
 *
 * Bytes -> deflate (RFC 1951), for codes of weights: literals and runs of one byte, in blocks of
 * Huffman codes of their own.  zlib's Z_RLE makes as many bytes (within a thousandth), in four
 * times
 * the time: it was half of what a page takes. */
#ifndef REPORT_DEFLATE_H
#define REPORT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { DEFLATE_BLOCK = 65535 };     /* bytes of a block: what one that is stored can hold */

/* No more than n bytes come to. */
uint64_t deflate_bound(uint64_t n);

/*
 * data[n] -> out[deflate_bound(n)]; returns how many.  They end on a whole byte; with last the
 * stream ends there, else another part may follow.
 */
size_t deflate_runs(unsigned char *out, const void *data, size_t n, bool last,
                    struct arena *scratch);

#endif
