/* SPDX-License-Identifier: MIT
 *
 * A deflater (RFC 1951) for codes of weights: literals and runs of one byte, in blocks with their
 * own Huffman codes.  zlib's Z_RLE makes as many bytes (within a thousandth), in four times the
 * time, which was half the time of a page. */
#ifndef REPORT_DEFLATE_H
#define REPORT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { DEFLATE_BLOCK = 65535 };     /* bytes of a block: the most of a stored block */

/* Largest size of n deflated bytes. */
uint64_t deflate_bound(uint64_t n);

/*
 * data[n] -> out[deflate_bound(n)]; returns the size.  It ends on a whole byte; with last the
 * stream ends there, else another part may follow.
 */
size_t deflate_runs(unsigned char *out, const void *data, size_t n, bool last,
                    struct arena *scratch);

#endif
