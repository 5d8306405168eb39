/* SPDX-License-Identifier: MIT
 * Bytes -> deflate -> base64. */
#include "report/pack.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/base64.h"

enum { CHUNK_SIZE = 3 << 14 };      /* a multiple of 3: chunks follow one another in base64 */

struct pack_chunk {
    struct pack_chunk *next;
    size_t size;
    unsigned char bytes[CHUNK_SIZE];
};

struct pack {
    z_stream stream;
    struct arena *a;                /* of the chunks */
    struct pack_chunk *first, *last;
};

static void *take(void *arena, unsigned n, unsigned size)
{
    return arena_alloc(arena, n, size);
}

static void leave(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

struct pack *pack_new(struct arena *a)
{
    struct pack *p = arena_alloc(a, 1, sizeof *p);
    int status;

    p->stream = (z_stream){ .zalloc = take, .zfree = leave, .opaque = a };
    status = deflateInit2(&p->stream, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    assert(status == Z_OK);         /* memory is there, or the arena has ended it */
    (void)status;
    return p;
}

static void add_chunk(struct pack *p)
{
    struct pack_chunk *chunk = arena_alloc(p->a, 1, sizeof *chunk);

    if (p->last != NULL)
        p->last->next = chunk;
    else
        p->first = chunk;
    p->last = chunk;
    p->stream.next_out = chunk->bytes;
    p->stream.avail_out = CHUNK_SIZE;
}

void pack_begin(struct pack *p, struct arena *a)
{
    deflateReset(&p->stream);
    p->a = a;
    p->first = p->last = NULL;
    add_chunk(p);
}

/* Until nothing is left to be taken, or with Z_FINISH to be given. */
static void run(struct pack *p, int flush)
{
    int status;

    do {
        if (p->stream.avail_out == 0) {
            p->last->size = CHUNK_SIZE;
            add_chunk(p);
        }
        status = deflate(&p->stream, flush);
    } while (flush == Z_FINISH ? status != Z_STREAM_END : p->stream.avail_in > 0);
}

void pack_add(struct pack *p, const void *data, size_t n)
{
    const unsigned char *at = data;

    while (n > 0) {
        unsigned part = n < UINT_MAX ? (unsigned)n : UINT_MAX;

        p->stream.next_in = (unsigned char *)(uintptr_t)at;
        p->stream.avail_in = part;
        run(p, Z_NO_FLUSH);
        at += part;
        n -= part;
    }
}

struct packed pack_end(struct pack *p)
{
    run(p, Z_FINISH);
    p->last->size = CHUNK_SIZE - p->stream.avail_out;
    return (struct packed){ p->first, p->stream.total_out };
}

void pack_write(const struct packed *packed, FILE *f)
{
    for (const struct pack_chunk *chunk = packed->first; chunk != NULL; chunk = chunk->next)
        base64_write(f, chunk->bytes, chunk->size);
}
