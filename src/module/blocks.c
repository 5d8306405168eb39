/* SPDX-License-Identifier: MIT
 * report/pack.h and report/page.h for a page that is already open: blocks that the program deflates
 * and writes to a file are passed to the page unchanged. */
#include <stdint.h>
#include <string.h>

#include "module/page.h"
#include "report/page.h"

struct pack_chunk {
    struct pack_chunk *next;
    size_t size;
    unsigned char bytes[];
};

struct pack {
    struct arena *a;
    struct pack_chunk *first, *last;
    uint64_t size;
};

struct pack *pack_new(struct arena *a, enum pack_kind kind)
{
    (void)kind;
    return arena_alloc(a, 1, sizeof(struct pack));
}

void pack_begin(struct pack *pack, struct arena *a)
{
    *pack = (struct pack){ .a = a };
}

void pack_add(struct pack *pack, const void *data, size_t n)
{
    struct pack_chunk *chunk = arena_alloc(pack->a, 1, sizeof *chunk + n);

    if (pack->last != NULL)
        pack->last->next = chunk;
    else
        pack->first = chunk;
    pack->last = chunk;
    chunk->size = n;
    memcpy(chunk->bytes, data, n);
    pack->size += n;
}

struct packed pack_end(struct pack *pack)
{
    return (struct packed){ pack->first, pack->size };
}

struct packed pack_parts(struct arena *a, const struct pack_part *part, int n, struct par *par)
{
    struct pack p;

    (void)par;
    pack_begin(&p, a);
    for (int i = 0; i < n; i++)
        pack_add(&p, part[i].data, part[i].n);
    return pack_end(&p);
}

static void blocks_give(char kind, int block, const struct packed *bytes)
{
    for (const struct pack_chunk *chunk = bytes->first; chunk != NULL; chunk = chunk->next)
        page_take(kind, block, chunk->bytes, chunk->size);
}

void page_begin(FILE *file, const char *title, bool live, const struct provenance *run,
                struct arena *a)
{
    (void)file;
    (void)live;
    (void)run;
    (void)a;
    (void)title;
}

void page_text(FILE *file, int text, const struct packed *json)
{
    (void)file;
    (void)text;
    blocks_give('t', 0, json);
}

void page_weights(FILE *file, int text, int block, const struct packed *weights)
{
    (void)file;
    (void)text;
    blocks_give('w', block, weights);
}

void page_vectors(FILE *file, int text, int block, const struct packed *vectors)
{
    (void)file;
    (void)text;
    blocks_give('v', block, vectors);
}

void page_picture(FILE *file, int text, const struct packed *rgb)
{
    (void)file;
    (void)text;
    blocks_give('p', 0, rgb);
}
