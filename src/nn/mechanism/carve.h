/* SPDX-License-Identifier: MIT
 * Division of the caller's memory into pieces: the same code counts the bytes and assigns them. */
#ifndef NN_MECHANISM_CARVE_H
#define NN_MECHANISM_CARVE_H

#include <stddef.h>
#include <stdint.h>

struct carve {
    unsigned char *base;        /* aligned to 64 bytes; NULL: only count */
    uint64_t used;                /* bytes so far */
};

/* The next n * size bytes, aligned to 64; NULL if only counted. */
void *carve_take(struct carve *carve, uint64_t n, uint64_t size);

#endif
