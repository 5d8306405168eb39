/* SPDX-License-Identifier: MIT
 * Byte order: numbers in files, which are little-endian in all supported formats, and numbers in
 * memory, in the processor's order. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Whether the processor's order is that of files, so that numbers can be used in place. */
static const bool BYTES_IN_ORDER = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* The unsigned number in size bytes, up to 8. */
static inline uint64_t bytes_get(const unsigned char *p, int size)
{
    uint64_t v = 0;

    if (BYTES_IN_ORDER)
        memcpy(&v, p, (size_t)size);
    else
        for (int i = size; i-- > 0; )
            v = v << 8 | p[i];
    return v;
}

static inline void bytes_put(unsigned char *p, uint64_t v, int size)
{
    for (int i = 0; i < size; i++, v >>= 8)
        p[i] = (unsigned char)v;
}

/* Copies n elements of size bytes from the file's order to memory's, or back. */
static inline void bytes_copy(void *to, const void *from, size_t n, size_t size)
{
    const unsigned char *p = from;
    unsigned char *q = to;

    if (BYTES_IN_ORDER || size == 1) {
        if (n > 0)
            memcpy(to, from, n * size);
        return;
    }
    for (; n > 0; n--, p += size, q += size)
        for (size_t k = 0; k < size; k++)
            q[k] = p[size - 1 - k];
}

/* Writes n elements of size bytes, at most 16; ferror tells whether that failed. */
void bytes_write(FILE *file, const void *elements, size_t n, size_t size);

#endif
