/* SPDX-License-Identifier: MIT
 * Bytes -> deflate -> base64. */
#include "report/pack.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "report/deflate.h"

enum { CHUNK_SIZE = 3 << 14 };

struct pack_chunk {
    struct pack_chunk *next;
    size_t size;
    unsigned char *bytes;
};

struct pack {
    enum pack_kind kind;
    z_stream stream;                /* of words */
    unsigned char *held;            /* of codes: [n_held] of what one block takes */
    size_t n_held;
    struct arena *own;
    struct arena *a;                /* of the chunks */
    struct pack_chunk *first, *last;
    uint64_t size;
};

static void *pack_take(void *arena, unsigned n, unsigned size)
{
    return arena_alloc(arena, n, size);
}

static void pack_leave(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

/* Memory is there, or the arena has ended it. */
static void init(z_stream *stream, struct arena *a)
{
    int status;

    *stream = (z_stream){ .zalloc = pack_take, .zfree = pack_leave, .opaque = a };
    status = deflateInit2(stream, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    assert(status == Z_OK);
    (void)status;
}

struct pack *pack_new(struct arena *a, enum pack_kind kind)
{
    struct pack *p = arena_alloc(a, 1, sizeof *p);

    p->kind = kind;
    p->own = a;
    if (kind == PACK_CODES)
        p->held = arena_alloc_raw(a, 1, DEFLATE_BLOCK);
    else
        init(&p->stream, a);
    return p;
}

static void add_chunk(struct pack *pack, size_t room)
{
    struct pack_chunk *chunk = arena_alloc(pack->a, 1, sizeof *chunk);

    chunk->bytes = arena_alloc_raw(pack->a, 1, room);
    if (pack->last != NULL)
        pack->last->next = chunk;
    else
        pack->first = chunk;
    pack->last = chunk;
}

static void add_room(struct pack *pack)
{
    add_chunk(pack, CHUNK_SIZE);
    pack->stream.next_out = pack->last->bytes;
    pack->stream.avail_out = CHUNK_SIZE;
}

void pack_begin(struct pack *pack, struct arena *a)
{
    pack->a = a;
    pack->first = pack->last = NULL;
    pack->size = pack->n_held = 0;
    if (pack->kind == PACK_CODES)
        return;
    deflateReset(&pack->stream);
    add_room(pack);
}

/* Until nothing is left to be taken, or with Z_FINISH to be given. */
static void pack_run(struct pack *pack, int flush)
{
    int status;

    do {
        if (pack->stream.avail_out == 0) {
            pack->last->size = CHUNK_SIZE;
            add_room(pack);
        }
        status = deflate(&pack->stream, flush);
    } while (flush == Z_FINISH ? status != Z_STREAM_END : pack->stream.avail_in > 0);
}

static void pack_add_words(struct pack *pack, const unsigned char *at, size_t n)
{
    while (n > 0) {
        unsigned part = n < UINT_MAX ? (unsigned)n : UINT_MAX;

        pack->stream.next_in = (unsigned char *)(uintptr_t)at;
        pack->stream.avail_in = part;
        pack_run(pack, Z_NO_FLUSH);
        at += part;
        n -= part;
    }
}

static void add_held(struct pack *pack, bool last)
{
    add_chunk(pack, (size_t)deflate_bound(pack->n_held));
    pack->last->size = deflate_runs(pack->last->bytes, pack->held, pack->n_held, last, pack->own);
    pack->size += pack->last->size;
    pack->n_held = 0;
}

static void add_codes(struct pack *pack, const unsigned char *at, size_t n)
{
    while (n > 0) {
        size_t room = DEFLATE_BLOCK - pack->n_held, part = n < room ? n : room;

        memcpy(pack->held + pack->n_held, at, part);
        pack->n_held += part;
        if (pack->n_held == DEFLATE_BLOCK)
            add_held(pack, false);
        at += part;
        n -= part;
    }
}

void pack_add(struct pack *pack, const void *data, size_t n)
{
    if (pack->kind == PACK_CODES)
        add_codes(pack, data, n);
    else
        pack_add_words(pack, data, n);
}

struct packed pack_end(struct pack *pack)
{
    if (pack->kind == PACK_CODES) {
        add_held(pack, true);
        return (struct packed){ pack->first, pack->size };
    }
    pack_run(pack, Z_FINISH);
    pack->last->size = CHUNK_SIZE - pack->stream.avail_out;
    return (struct packed){ pack->first, pack->stream.total_out };
}

/* ---- parts ---- */

struct parts {
    const struct pack_part *part;   /* [n] */
    struct pack_chunk *chunk;       /* [n] with room for what each may come to */
    int n;
};

static void deflate_part(void *self, int i, struct arena *scratch)
{
    const struct parts *parts = self;

    parts->chunk[i].size = deflate_runs(parts->chunk[i].bytes, parts->part[i].data,
                                        parts->part[i].n, i == parts->n - 1, scratch);
}

struct packed pack_parts(struct arena *a, const struct pack_part *part, int n, struct par *par)
{
    struct parts parts = { part, arena_alloc(a, (uint64_t)n, sizeof *parts.chunk), n };
    struct packed packed = { parts.chunk, 0 };

    for (int i = 0; i < n; i++)
        parts.chunk[i] = (struct pack_chunk){ i + 1 < n ? &parts.chunk[i + 1] : NULL, 0,
                                              arena_alloc_raw(a, 1, deflate_bound(part[i].n)) };
    par_for(par, n, deflate_part, &parts);
    for (int i = 0; i < n; i++)
        packed.size += parts.chunk[i].size;
    return packed;
}

/* ---- letters ---- */

/* Chunks follow one another in base64 where each has a multiple of 3 bytes: what is over goes
   with the next. */
void pack_write(const struct packed *packed, FILE *file)
{
    unsigned char over[3];
    size_t n_over = 0;

    for (const struct pack_chunk *chunk = packed->first; chunk != NULL; chunk = chunk->next) {
        const unsigned char *at = chunk->bytes, *end = at + chunk->size;

        while (at < end && n_over > 0 && n_over < 3)
            over[n_over++] = *at++;
        if (n_over == 3) {
            base64_write(file, over, 3);
            n_over = 0;
        }
        if (at == end)
            continue;
        base64_write(file, at, (size_t)(end - at) / 3 * 3);
        for (at = end - (end - at) % 3; at < end; at++)
            over[n_over++] = *at;
    }
    base64_write(file, over, n_over);
}
