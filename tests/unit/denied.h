/* SPDX-License-Identifier: MIT
 * Memory that ends at any allocation of what is tested, and what may come of it. */
#ifndef UNIT_DENIED_H
#define UNIT_DENIED_H

#include "check.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef __has_feature
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif

/* Sanitizers have an allocator of their own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || \
    HAS(address_sanitizer) || HAS(thread_sanitizer) || !defined __GLIBC__
#define DENIES 0
#else
#define DENIES 1
#endif

static struct {
    bool counts;
    bool once;                  /* one is denied, and those after it are granted */
    bool denied;
    long left;                  /* allocations that are granted */
    long open;                  /* granted and not freed */
} memory;

#if DENIES
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

/* These stand before the C library's, for all that is linked and for the libraries. */
#pragma GCC visibility push(default)
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);
#pragma GCC visibility pop

static inline bool granted(void)
{
    if (!memory.counts)
        return true;
    if (memory.left-- == 0) {
        memory.left = memory.once ? LONG_MAX : 0;
        memory.denied = true;
        errno = ENOMEM;
        return false;
    }
    memory.open++;
    return true;
}

void *malloc(size_t size)
{
    return granted() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t n, size_t size)
{
    return granted() ? __libc_calloc(n, size) : NULL;
}

void *realloc(void *p, size_t size)
{
    if (p == NULL)
        return malloc(size);
    if (!granted())
        return NULL;
    memory.open -= memory.counts;
    return __libc_realloc(p, size);
}

void free(void *p)
{
    if (memory.counts && p != NULL)
        memory.open--;
    __libc_free(p);
}
#endif

/* WRONG: neither did it work, nor did anybody hear that there was no memory. */
enum outcome { WORKED, REFUSED, WRONG };

/* After n allocations have been granted */
static inline enum outcome deny_after(long n, bool once_only, const char *what,
                                      enum outcome (*once)(void *self), void *self)
{
    enum outcome outcome;

    memory.left = n;
    memory.once = once_only;
    memory.denied = false;
    memory.open = 0;
    memory.counts = true;
    outcome = once(self);
    memory.counts = false;
    if (outcome == WRONG)
        fail_msg("%s: %ld allocations: nobody heard of the next one", what, n);
    if (memory.open != 0)
        fail_msg("%s: %ld allocations: %ld are still open", what, n, memory.open);
    return outcome;
}

/*
 * Denies the allocation after n, alone and with all after it, for each n until all are
 * granted; in steps of 97 from `often` on, where pieces are added one by one.  Nothing may
 * stay allocated.  Returns how many allocations were granted in the end.
 */
static inline long deny_each(const char *what, enum outcome (*once)(void *self), void *self,
                             long often)
{
    long n = 0;

    if (!DENIES)
        skip();
    if (once(self) != WORKED)
        fail_msg("%s: does not work", what);
    while (deny_after(n, false, what, once, self) != WORKED || memory.denied) {
        deny_after(n, true, what, once, self);
        n += n > often ? 97 : 1;
    }
    return n;
}

#endif
