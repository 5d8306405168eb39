/* SPDX-License-Identifier: MIT
 * A chain of blocks, newest first; what is large gets a block of its own. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, BLOCK = 256 * 1024 };

struct arena_block {
    struct arena_block *below;
    size_t used, size;          /* of data, in bytes */
    size_t dirty;               /* bytes below this were handed out before */
    unsigned char *data;        /* aligned to ALIGN */
};

/* What goes with the arena and is not its memory. */
struct arena_owned {
    struct arena_owned *below;
    void (*release)(void *what);    /* NULL: it was released */
    void *what;
};

static void stop(void *self, size_t size_bytes)
{
    (void)self;
    (void)size_bytes;
    abort();
}

void arena_init(struct arena *a, void (*full)(void *self, size_t size_bytes),
                void *self)
{
    a->top = a->spare = NULL;
    a->owned = NULL;
    a->full = full != NULL ? full : stop;
    a->self = self;
}

_Noreturn void arena_fail(struct arena *a, size_t size_bytes)
{
    a->full(a->self, size_bytes);
    abort();                    /* full does not return */
}

static void release(struct arena_owned *owned)
{
    void (*fn)(void *what) = owned->release;

    owned->release = NULL;
    if (fn != NULL)
        fn(owned->what);
}

static void release_above(struct arena *a, const struct arena_owned *mark)
{
    while (a->owned != mark) {
        struct arena_owned *owned = a->owned;

        a->owned = owned->below;
        release(owned);
        free(owned);
    }
}

void arena_own(struct arena *a, void (*fn)(void *what), void *what)
{
    struct arena_owned *owned = malloc(sizeof *owned);

    if (owned == NULL) {        /* nobody else would release it */
        fn(what);
        arena_fail(a, sizeof *owned);
    }
    *owned = (struct arena_owned){ a->owned, fn, what };
    a->owned = owned;
}

void arena_release(struct arena *a, const void *what)
{
    for (struct arena_owned *owned = a->owned; owned != NULL; owned = owned->below)
        if (owned->what == what && owned->release != NULL) {
            release(owned);
            return;
        }
}

void arena_finish(struct arena *a)
{
    release_above(a, NULL);
    while (a->top != NULL) {
        struct arena_block *b = a->top;

        a->top = b->below;
        free(b);
    }
    free(a->spare);
    a->spare = NULL;
}

static struct arena_block *new_block(struct arena *a, size_t size)
{
    size_t want = size > BLOCK ? size : BLOCK;
    struct arena_block *b = NULL;

    if (size <= SIZE_MAX / 2)
        b = calloc(1, sizeof *b + ALIGN + want);    /* fresh pages cost nothing */
    if (b == NULL)
        arena_fail(a, size);
    b->data = (unsigned char *)(((uintptr_t)(b + 1) + ALIGN - 1) &
                                ~(uintptr_t)(ALIGN - 1));
    b->size = want;
    return b;
}

static struct arena_block *push(struct arena *a, size_t size)
{
    struct arena_block *b = a->spare;

    if (b != NULL && b->size >= size)
        a->spare = NULL;
    else
        b = new_block(a, size);
    b->below = a->top;
    a->top = b;
    return b;
}

/* Keeps the larger of the popped block and the spare one, for the next push. */
static void pop(struct arena *a)
{
    struct arena_block *b = a->top, *drop = a->spare;

    a->top = b->below;
    b->used = 0;
    if (drop == NULL || drop->size < b->size) {
        a->spare = b;
        b = drop;
    }
    free(b);
}

void *arena_alloc_raw(struct arena *a, size_t n, size_t size)
{
    struct arena_block *b = a->top;
    size_t bytes;
    void *p;

    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - ALIGN)
        arena_fail(a, SIZE_MAX);
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (b == NULL || b->size - b->used < bytes)
        b = push(a, bytes);
    p = b->data + b->used;
    b->used += bytes;
    if (b->dirty < b->used)
        b->dirty = b->used;
    return p;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
    struct arena_block *before = a->top;
    size_t used = before != NULL ? before->used : 0;
    size_t dirty = before != NULL ? before->dirty : 0;
    void *p;

    /* Only what was handed out before needs clearing. */
    if (a->spare != NULL)
        dirty = SIZE_MAX;
    p = arena_alloc_raw(a, n, size);
    if (a->top != before ? dirty == SIZE_MAX : used < dirty)
        memset(p, 0, n * size);
    return p;
}

void *arena_grow(struct arena *a, const void *p, size_t old_n, size_t n,
                 size_t size)
{
    void *q = arena_alloc(a, n, size);

    if (old_n > 0)
        memcpy(q, p, old_n * size);
    return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1, 1);

    if (n > 0)
        memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *p;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    p = arena_alloc(a, (size_t)n + 1, 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *p;

    va_start(ap, fmt);
    p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}

struct arena_mark arena_mark(const struct arena *a)
{
    struct arena_mark m = { a->top, a->owned, a->top != NULL ? a->top->used : 0 };

    return m;
}

void arena_reset(struct arena *a, struct arena_mark mark)
{
    release_above(a, mark.owned);
    while (a->top != mark.top)
        pop(a);
    if (a->top != NULL)
        a->top->used = mark.used;
}
