/* SPDX-License-Identifier: MIT
 *
 * Memory by lifetime.  Three arenas: model (as long as its handle), call (one text or
 * batch), scratch (one layer or row block, with mark and reset; one per thread).
 * There is no free in the body of the program; what is not memory of the arena (a
 * mapped file, a JSON tree) can be given to it, and goes with it. */
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
    size_t size, spare_size;        /* bytes of all blocks but the spare ones, and of these */
    void (*full)(void *self, size_t size_bytes);    /* never returns */
    void *self;
};

struct arena_mark {
    struct arena_block *top;
    struct arena_owned *owned;
    size_t used, size;
};

/*
 * full is called with the size asked for when there is no memory, or when
 * n * size overflows; it must not return (main: message and exit 4; the library, tests
 * and fuzzers: longjmp to their border).  NULL: abort, for programs that have no border.
 */
void arena_init(struct arena *a, void (*full)(void *self, size_t size_bytes),
                void *self);
void arena_finish(struct arena *a);

/* Calls full, for memory that was asked for elsewhere and is not there. */
_Noreturn void arena_fail(struct arena *a, size_t size_bytes);

/*
 * Before an error is passed over, as what it is of can be done without: calls full where the
 * system refused it, since what is done then is not what was asked for.
 */
void arena_pass_over(struct arena *a, const struct err *e);

/*
 * release(what) is called when the arena goes back to a mark before this, when it ends,
 * or at arena_release, whichever comes first; newest first.  So what is open when full
 * leaves by longjmp is closed by the reset that follows.
 */
void arena_own(struct arena *a, void (*release)(void *what), void *what);
void arena_release(struct arena *a, const void *what);

/* An arena of its own, to reset or finish (arena_release) before a, and at the latest with it. */
struct arena *arena_child(struct arena *a);

/* The last that was given with this release function for which is(what, key) holds, or NULL. */
const void *arena_find(const struct arena *a, void (*release)(void *what),
                       bool (*is)(const void *what, void *key), void *key);

/*
 * n * size bytes, zeroed, aligned to 64 bytes; never NULL, also for 0 bytes.  Both have
 * 64 bits, so that a product of the caller's does not wrap where addresses have 32.
 */
void *arena_alloc(struct arena *a, uint64_t n, uint64_t size);

/* The same, not zeroed: for scratch that is written before it is read. */
void *arena_alloc_raw(struct arena *a, uint64_t n, uint64_t size);

/* The same, for what can be done without: where there is no memory it is NULL, and full is not
 * called. */
void *arena_try_raw(struct arena *a, uint64_t n, uint64_t size);

/*
 * A larger copy of p[old_n] (p may be NULL with old_n 0); the old one stays
 * until the arena goes.  Grow by doubling.
 */
void *arena_grow(struct arena *a, const void *p, size_t old_n, uint64_t n,
                 uint64_t size);

/* The same, and the old one is given back. */
void *arena_regrow(struct arena *a, const void *p, size_t old_n, uint64_t n, uint64_t size);

/*
 * p[n], of `size` bytes each, is not needed any more: if it is large, and was not part of
 * something larger, it goes at once, and no reset brings it back.
 */
void arena_give_back(struct arena *a, const void *p, size_t n, size_t size);

/* Copies with a NUL after the end; s may hold NULs itself. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(2)));

/* All that was allocated or given to the arena since the mark goes at the reset. */
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark);

/* Bytes that were taken from the system since the mark: about those allocated. */
size_t arena_since(const struct arena *a, struct arena_mark mark);

/*
 * n * size bytes that outlive the rest: what lies between the mark and them goes at
 * arena_reset_below, if nothing was allocated after them.
 */
void *arena_alloc_apart(struct arena *a, uint64_t n, uint64_t size);
void arena_reset_below(struct arena *a, struct arena_mark mark);

#endif
