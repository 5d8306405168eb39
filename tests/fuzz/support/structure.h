/* SPDX-License-Identifier: MIT
 * One change of a file that keeps to what files are made of: JSON, lines, numbers, blocks. */
#ifndef FUZZ_STRUCTURE_H
#define FUZZ_STRUCTURE_H

#include "support/dice.h"

/* A file of `size` bytes, in room for `most` of them. */
struct bytes {
    uint8_t *data;
    size_t size, most;
};

/*
 * Changes one thing: a value of a JSON text inside (and the length before it, where a
 * safetensors file has one), a line, a number in words or in bytes, a block of bytes.
 *
 * other   a file to take lines and blocks from; may be b itself
 *
 * The same dice give the same change.  Errors: none; what does not fit is left out.
 */
void structure_change(struct bytes *b, struct bytes other, struct dice *d);

#endif
