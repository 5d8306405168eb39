/* SPDX-License-Identifier: MIT
 *
 * Arenas: memory by lifetime.  Three arenas: model (as long as its handle), call (one text or
 * batch), scratch (one layer or row block, with mark and reset; one per thread).
 * There is no free in the body of the program; other resources (a mapped file, a JSON tree) can
 * be given to an arena, which then releases them. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct arena_block;
struct arena_owned;

struct arena {
    struct arena_block *top, *spare;
    struct arena_owned *owned;
    size_t size, spare_size;        /* bytes of all blocks except spare ones, and of these */
    void (*full)(void *self, size_t size_bytes);    /* never returns */
    void *self;
};

struct arena_mark {
    struct arena_block *top;
    struct arena_owned *owned;
    size_t used, size;
};

/*
 * full is called with the requested size when there is no memory, or when
 * n * size overflows; it must not return (main: message and exit 4; the library, tests
 * and fuzzers: longjmp to their border).  NULL: abort, for programs that have no border.
 */
void arena_init(struct arena *a, void (*full)(void *self, size_t size_bytes),
                void *self);
void arena_finish(struct arena *a);

/* Calls full, for memory that another allocator could not provide. */
_Noreturn void arena_fail(struct arena *a, size_t size_bytes);

/*
 * Called before an error is ignored because the failed step is optional: calls full if it is a
 * system error, since then the result would differ from the requested one.
 */
void arena_pass_over(struct arena *a, const struct err *e);

/*
 * Gives a resource to the arena: release(what) is called when the arena is reset to an earlier
 * mark, when it is finished, or by arena_release, whichever comes first; newest first.  So
 * resources that are open when full leaves by longjmp are closed by the reset that follows.
 */
void arena_own(struct arena *a, void (*release)(void *what), void *what);
void arena_release(struct arena *a, const void *what);

/* A separate arena, to be reset or finished (arena_release) on its own, at the latest with a. */
struct arena *arena_child(struct arena *a);

/* The resource given last with this release function for which is(what, key) holds, or NULL. */
const void *arena_find(const struct arena *a, void (*release)(void *what),
                       bool (*is)(const void *what, void *key), void *key);

/*
 * n * size bytes, zeroed, aligned to 64 bytes; never NULL, even for 0 bytes.  Both have 64 bits,
 * so that a product in the caller does not wrap on systems with 32-bit addresses.
 */
void *arena_alloc(struct arena *a, uint64_t n, uint64_t size);

/* The same, not zeroed: for scratch that is written before it is read. */
void *arena_alloc_raw(struct arena *a, uint64_t n, uint64_t size);

/* The same, for optional memory: NULL if there is none, without calling full. */
void *arena_try_raw(struct arena *a, uint64_t n, uint64_t size);

/*
 * A larger copy of p[old_n] (p may be NULL with old_n 0); the old one remains until the arena
 * is reset.  Grow by doubling.
 */
void *arena_grow(struct arena *a, const void *p, size_t old_n, uint64_t n,
                 uint64_t size);

/* The same, and frees the old one. */
void *arena_regrow(struct arena *a, const void *p, size_t old_n, uint64_t n, uint64_t size);

/*
 * Frees p[n], of `size` bytes each, at once if it is large and was allocated on its own; it must
 * not be used any more.
 */
void arena_give_back(struct arena *a, const void *p, size_t n, size_t size);

/* Copies with a NUL after the end; s may contain NULs. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(2)));

/* The reset frees all that was allocated in, or given to, the arena since the mark. */
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark);

/* Bytes taken from the system since the mark, about those allocated. */
size_t arena_since(const struct arena *a, struct arena_mark mark);

/*
 * n * size bytes that survive arena_reset_below, which frees all between the mark and them, if
 * nothing was allocated after them.
 */
void *arena_alloc_apart(struct arena *a, uint64_t n, uint64_t size);
void arena_reset_below(struct arena *a, struct arena_mark mark);

#endif
