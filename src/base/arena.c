/* SPDX-License-Identifier: MIT
 * A chain of blocks, newest first; what is large gets a block of its own. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define CLOSE(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define OPEN(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
enum { GAP = 64 };              /* between allocations, so that one byte too far is seen */
#else
#define CLOSE(p, n) ((void)(p), (void)(n))
#define OPEN(p, n) ((void)(p), (void)(n))
enum { GAP = 0 };
#endif

enum { ALIGN = 64, BLOCK = 256 * 1024, KEPT = 64 * 1024 * 1024 };

struct arena_block {
    struct arena_block *below;
    size_t used, size;          /* of data, in bytes */
    size_t room;                /* that there are: more than size where it is used again for less */
    size_t dirty;               /* bytes below this were handed out before */
    void *memory;               /* that data is of; NULL: it was given back (size 0) */
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
    a->size = a->spare_size = 0;
    a->full = full != NULL ? full : stop;
    a->self = self;
}

_Noreturn void arena_fail(struct arena *a, size_t size_bytes)
{
    a->full(a->self, size_bytes);
    abort();                    /* full does not return */
}

void arena_pass_over(struct arena *a, const struct err *e)
{
    if (e->kind == ERR_SYSTEM)
        arena_fail(a, 0);
}

static void arena_release_owned(struct arena_owned *owned)
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
        arena_release_owned(owned);
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
            arena_release_owned(owned);
            return;
        }
}

const void *arena_find(const struct arena *a, void (*fn)(void *what),
                       bool (*is)(const void *what, void *key), void *key)
{
    for (const struct arena_owned *owned = a->owned; owned != NULL; owned = owned->below)
        if (owned->release == fn && is(owned->what, key))
            return owned->what;
    return NULL;
}

static void free_block(struct arena_block *block)
{
    if (block != NULL)
        free(block->memory);
    free(block);
}

static void free_spare(struct arena *a)
{
    while (a->spare != NULL) {
        struct arena_block *block = a->spare;

        a->spare = block->below;
        free_block(block);
    }
    a->spare_size = 0;
}

void arena_finish(struct arena *a)
{
    release_above(a, NULL);
    while (a->top != NULL) {
        struct arena_block *block = a->top;

        a->top = block->below;
        free_block(block);
    }
    free_spare(a);
    a->size = 0;
}

static void finish_child(void *child)
{
    arena_finish(child);
}

struct arena *arena_child(struct arena *a)
{
    struct arena *child = arena_alloc(a, 1, sizeof *child);

    arena_init(child, a->full, a->self);
    arena_own(a, finish_child, child);
    return child;
}

/* NULL: there is no memory for it. */
static struct arena_block *new_block(size_t size)
{
    size_t want = size > BLOCK ? size : BLOCK;
    struct arena_block *block = calloc(1, sizeof *block);

    if (block != NULL && size <= SIZE_MAX / 2)
        block->memory = calloc(1, ALIGN + want);            /* fresh pages cost nothing */
    if (block == NULL || block->memory == NULL) {
        free(block);
        return NULL;
    }
    block->data = (unsigned char *)(((uintptr_t)block->memory + ALIGN - 1) &
                                    ~(uintptr_t)(ALIGN - 1));
    block->size = block->room = want;
    CLOSE(block->memory, ALIGN + want);
    return block;
}

static struct arena_block *unlink_spare(struct arena *a, struct arena_block **at)
{
    struct arena_block *block = *at;

    *at = block->below;
    a->spare_size -= block->size;
    return block;
}

/*
 * The smallest spare block of at least this size.  NULL: there is none; then those that were
 * made for one allocation go, so that a need that grows from time to time leaves nothing behind.
 */
static struct arena_block *take_spare(struct arena *a, size_t size)
{
    struct arena_block **best = NULL;

    for (struct arena_block **at = &a->spare; *at != NULL; at = &(*at)->below)
        if ((*at)->size >= size && (best == NULL || (*at)->size < (*best)->size))
            best = at;
    if (best != NULL)
        return unlink_spare(a, best);
    for (struct arena_block **at = &a->spare; *at != NULL;)
        if ((*at)->size > BLOCK)
            free_block(unlink_spare(a, at));
        else
            at = &(*at)->below;
    return NULL;
}

/* NULL: there is no memory for it.  A spare one is as large as a new one would be, so that what
 * was allocated before does not show in arena_since. */
static struct arena_block *push(struct arena *a, size_t size)
{
    struct arena_block *block = take_spare(a, size);

    if (block == NULL)
        block = new_block(size);
    if (block == NULL)
        return NULL;
    block->size = size > BLOCK ? size : BLOCK;
    block->below = a->top;
    a->top = block;
    a->size += block->size;
    return block;
}

/* The popped block is spare, as long as all of these come to no more than KEPT; one that is
 * larger by itself stays alone. */
static void pop(struct arena *a)
{
    struct arena_block *block = a->top;

    a->top = block->below;
    a->size -= block->size;
    block->used = 0;
    if (block->memory != NULL)
        CLOSE(block->data, block->size);
    block->size = block->room;
    if (block->size > KEPT && block->size > a->spare_size)
        free_spare(a);
    else if (block->memory == NULL || block->size > KEPT || a->spare_size > KEPT - block->size) {
        free_block(block);
        return;
    }
    block->below = a->spare;
    a->spare = block;
    a->spare_size += block->size;
}

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* n * size; SIZE_MAX: that is more than an arena has. */
static size_t bytes_asked(uint64_t n, uint64_t size)
{
    size_t asked;

    return __builtin_mul_overflow(n, size, &asked) || asked > SIZE_MAX - ALIGN ? SIZE_MAX : asked;
}

/* NULL: there is no memory for it.  *dirty: whether some of it was handed out before. */
static void *arena_take(struct arena *a, size_t asked, bool *dirty)
{
    struct arena_block *block = a->top;
    size_t bytes;
    void *p;

    if (asked == SIZE_MAX)
        return NULL;
    bytes = rounded(asked);
    if (block == NULL || block->memory == NULL || block->size - block->used < bytes)
        block = push(a, bytes);
    if (block == NULL)
        return NULL;
    p = block->data + block->used;
    *dirty = block->used < block->dirty;
    OPEN(p, asked);
    block->used += bytes;
    if (block->used < block->size)
        block->used += GAP;
    if (block->dirty < block->used)
        block->dirty = block->used;
    return p;
}

void *arena_try_raw(struct arena *a, uint64_t n, uint64_t size)
{
    bool dirty;

    return arena_take(a, bytes_asked(n, size), &dirty);
}

static void *take_or_fail(struct arena *a, size_t asked, bool *dirty)
{
    void *p = arena_take(a, asked, dirty);

    if (p == NULL)
        arena_fail(a, asked);
    return p;
}

void *arena_alloc_raw(struct arena *a, uint64_t n, uint64_t size)
{
    bool dirty;

    return take_or_fail(a, bytes_asked(n, size), &dirty);
}

void *arena_alloc(struct arena *a, uint64_t n, uint64_t size)
{
    size_t asked = bytes_asked(n, size);
    bool dirty;
    void *p = take_or_fail(a, asked, &dirty);

    if (dirty)
        memset(p, 0, asked);
    return p;
}

void *arena_grow(struct arena *a, const void *p, size_t old_n, uint64_t n,
                 uint64_t size)
{
    void *q = arena_alloc(a, n, size);

    if (old_n > 0)
        memcpy(q, p, old_n * (size_t)size);
    return q;
}

/* The block that holds p and nothing else; NULL: there is none. */
static struct arena_block *arena_block_of(const struct arena *a, const void *p, size_t bytes)
{
    for (struct arena_block *block = a->top; block != NULL; block = block->below)
        if (block->data == p)
            return block->used <= rounded(bytes) + GAP ? block : NULL;
    return NULL;
}

void arena_give_back(struct arena *a, const void *p, size_t n, size_t size)
{
    struct arena_block *block = n * size > BLOCK ? arena_block_of(a, p, n * size) : NULL;

    if (block == NULL)
        return;
    free(block->memory);
    a->size -= block->size;
    block->memory = block->data = NULL;     /* the block stays: a mark may know it */
    block->used = block->size = block->room = block->dirty = 0;
}

void *arena_regrow(struct arena *a, const void *p, size_t old_n, uint64_t n, uint64_t size)
{
    void *q = arena_grow(a, p, old_n, n, size);

    arena_give_back(a, p, old_n, (size_t)size);
    return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *cursor = arena_alloc(a, n + 1, 1);

    if (n > 0)
        memcpy(cursor, s, n);
    return cursor;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *cursor;
    int count;

    va_copy(again, ap);
    count = vsnprintf(NULL, 0, fmt, ap);
    cursor = arena_alloc(a, (size_t)count + 1, 1);
    vsnprintf(cursor, (size_t)count + 1, fmt, again);
    va_end(again);
    return cursor;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *cursor;

    va_start(ap, fmt);
    cursor = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return cursor;
}

struct arena_mark arena_mark(const struct arena *a)
{
    struct arena_mark mark = { a->top, a->owned, a->top != NULL ? a->top->used : 0,
                               a->size };

    return mark;
}

void arena_reset(struct arena *a, struct arena_mark mark)
{
    release_above(a, mark.owned);
    while (a->top != mark.top)
        pop(a);
    if (a->top == NULL)
        return;
    if (a->top->memory == NULL)
        return;
    a->top->used = mark.used;
    CLOSE(a->top->data + mark.used, a->top->size - mark.used);
}

size_t arena_since(const struct arena *a, struct arena_mark mark)
{
    return a->size > mark.size ? a->size - mark.size : 0;
}

void *arena_alloc_apart(struct arena *a, uint64_t n, uint64_t size)
{
    size_t asked = bytes_asked(n, size);

    if (asked == SIZE_MAX || push(a, rounded(asked)) == NULL)
        arena_fail(a, asked);
    return arena_alloc_raw(a, n, size);
}

void arena_reset_below(struct arena *a, struct arena_mark mark)
{
    struct arena_block *kept = a->top;

    a->top = kept->below;
    a->size -= kept->size;
    arena_reset(a, mark);
    kept->below = a->top;
    a->top = kept;
    a->size += kept->size;
}
