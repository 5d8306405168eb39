/* SPDX-License-Identifier: MIT
 * GGUF files as the tests want them, right or wrong, piece by piece. */
#ifndef GGUF_BYTES_H
#define GGUF_BYTES_H

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "weights/gguf.h"

struct bytes {
    unsigned char v[1 << 18];
    size_t n;
};

static inline void put(struct bytes *b, const void *v, size_t n)
{
    assert(n <= sizeof b->v - b->n);
    memcpy(b->v + b->n, v, n);
    b->n += n;
}

/* n numbers of size bytes each, in the file's order. */
static inline void put_numbers(struct bytes *b, const void *v, size_t n, size_t size)
{
    assert(n * size <= sizeof b->v - b->n);
    bytes_copy(b->v + b->n, v, n, size);
    b->n += n * size;
}

static inline void put_uint(struct bytes *b, uint64_t v, int size)
{
    unsigned char bytes[8];

    bytes_put(bytes, v, size);
    put(b, bytes, (size_t)size);
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
    put_uint(b, v, 4);
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
    put_uint(b, v, 8);
}

static inline void put_string(struct bytes *b, const char *s)
{
    put_u64(b, strlen(s));
    put(b, s, strlen(s));
}

static inline void put_head(struct bytes *b, uint32_t version, uint64_t n_tensors,
                            uint64_t n_keys)
{
    b->n = 0;
    put(b, "GGUF", 4);
    put_u32(b, version);
    put_u64(b, n_tensors);
    put_u64(b, n_keys);
}

static inline void put_key(struct bytes *b, const char *key, uint32_t type)
{
    put_string(b, key);
    put_u32(b, type);
}

static inline void put_key_u32(struct bytes *b, const char *key, uint32_t v)
{
    put_key(b, key, GGUF_U32);
    put_u32(b, v);
}

static inline void put_key_string(struct bytes *b, const char *key, const char *v)
{
    put_key(b, key, GGUF_STRING);
    put_string(b, v);
}

static inline void put_array(struct bytes *b, const char *key, uint32_t type, uint64_t n)
{
    put_key(b, key, GGUF_ARRAY);
    put_u32(b, type);
    put_u64(b, n);
}

/* fast, slow: the dimensions as the file has them; slow 0: there is only one. */
static inline void put_tensor(struct bytes *b, const char *name, uint64_t fast,
                              uint64_t slow, uint32_t type, uint64_t offset)
{
    put_string(b, name);
    put_u32(b, slow > 0 ? 2 : 1);
    put_u64(b, fast);
    if (slow > 0)
        put_u64(b, slow);
    put_u32(b, type);
    put_u64(b, offset);
}

/* Zeros to a multiple of align, then n bytes 0, 1, 2 .. */
static inline void put_data(struct bytes *b, size_t align, size_t n)
{
    while (b->n % align != 0)
        put(b, "", 1);
    for (size_t i = 0; i < n; i++)
        put(b, &(unsigned char){ (unsigned char)i }, 1);
}

#endif
