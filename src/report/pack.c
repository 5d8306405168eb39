/* SPDX-License-Identifier: MIT
 * Bytes -> deflate -> base64. */
#include "report/pack.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/base64.h"

enum { CHUNK_SIZE = 3 << 14 };

struct pack_chunk {
    struct pack_chunk *next;
    size_t size;
    unsigned char *bytes;
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

/* Memory is there, or the arena has ended it. */
static void init(z_stream *stream, struct arena *a, enum pack_kind kind)
{
    int status;

    *stream = (z_stream){ .zalloc = take, .zfree = leave, .opaque = a };
    status = deflateInit2(stream, 6, Z_DEFLATED, -15, 9,
                          kind == PACK_CODES ? Z_RLE : Z_DEFAULT_STRATEGY);
    assert(status == Z_OK);
    (void)status;
}

struct pack *pack_new(struct arena *a, enum pack_kind kind)
{
    struct pack *p = arena_alloc(a, 1, sizeof *p);

    init(&p->stream, a, kind);
    return p;
}

static void add_chunk(struct pack *p)
{
    struct pack_chunk *chunk = arena_alloc(p->a, 1, sizeof *chunk);

    chunk->bytes = arena_alloc_raw(p->a, 1, CHUNK_SIZE);
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

/* ---- parts ---- */

struct parts {
    const struct pack_part *part;   /* [n] */
    struct pack_chunk *chunk;       /* [n] with room for what each may come to */
    int n;
};

/* No more than n bytes come to with one flush: zlib's own bound, and its empty block. */
static uint64_t room_of(size_t n)
{
    return (uint64_t)n + n / 8 + n / 128 + 64;
}

/* A part that others follow ends on a whole byte, without being the last of the stream. */
static void deflate_part(void *self, int i, struct arena *scratch)
{
    const struct parts *parts = self;
    const unsigned char *at = parts->part[i].n > 0 ? parts->part[i].data : (const void *)"";
    size_t left = parts->part[i].n, room = (size_t)room_of(left);
    struct pack_chunk *chunk = &parts->chunk[i];
    int end = i == parts->n - 1 ? Z_FINISH : Z_SYNC_FLUSH;
    z_stream stream;
    unsigned now;

    init(&stream, scratch, PACK_CODES);
    do {
        now = left < UINT_MAX / 2 ? (unsigned)left : UINT_MAX / 2;
        stream.next_in = (unsigned char *)(uintptr_t)at;
        stream.avail_in = now;
        stream.next_out = chunk->bytes + chunk->size;
        stream.avail_out = room - chunk->size < UINT_MAX ? (unsigned)(room - chunk->size)
                                                         : UINT_MAX;
        left -= now;
        at += now;
        deflate(&stream, left > 0 ? Z_NO_FLUSH : end);
        chunk->size = (size_t)(stream.next_out - chunk->bytes);
    } while (left > 0);
}

struct packed pack_parts(struct arena *a, const struct pack_part *part, int n, struct par *par)
{
    struct parts parts = { part, arena_alloc(a, (uint64_t)n, sizeof *parts.chunk), n };
    struct packed packed = { parts.chunk, 0 };

    for (int i = 0; i < n; i++)
        parts.chunk[i] = (struct pack_chunk){ i + 1 < n ? &parts.chunk[i + 1] : NULL, 0,
                                              arena_alloc_raw(a, 1, room_of(part[i].n)) };
    par_for(par, n, deflate_part, &parts);
    for (int i = 0; i < n; i++)
        packed.size += parts.chunk[i].size;
    return packed;
}

/* ---- letters ---- */

/* Chunks follow one another in base64 where each has a multiple of 3 bytes: what is over goes
   with the next. */
void pack_write(const struct packed *packed, FILE *f)
{
    unsigned char over[3];
    size_t n_over = 0;

    for (const struct pack_chunk *chunk = packed->first; chunk != NULL; chunk = chunk->next) {
        const unsigned char *at = chunk->bytes, *end = at + chunk->size;

        while (at < end && n_over > 0 && n_over < 3)
            over[n_over++] = *at++;
        if (n_over == 3) {
            base64_write(f, over, 3);
            n_over = 0;
        }
        if (at == end)
            continue;
        base64_write(f, at, (size_t)(end - at) / 3 * 3);
        for (at = end - (end - at) % 3; at < end; at++)
            over[n_over++] = *at;
    }
    base64_write(f, over, n_over);
}
