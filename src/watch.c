/* SPDX-License-Identifier: MIT
 *
 * malloc and its like, wrapped: an allocation that fails in a library that would not report it
 * (base/lack.h) ends the program.  Only the program has these functions, not the library;
 * sanitisers have their own. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lack.h"

#ifdef __has_feature
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !HAS(address_sanitizer) && !HAS(thread_sanitizer) && !HAS(memory_sanitizer)

#define SEEN __attribute__((visibility("default")))

typedef void *of_size(size_t size);
typedef void *of_two(size_t a, size_t b);
typedef void *of_block(void *p, size_t size);
typedef int of_place(void **p, size_t align, size_t size);

/* The function that this file stands before; *to stays NULL while one is looked for. */
static void watch_find(const char *name, void *to, size_t size)
{
    static _Thread_local bool looking;
    void *found;

    /* Some dlsym allocate, and do without where that fails. */
    if (looking)
        return;
    looking = true;
    found = dlsym(RTLD_NEXT, name);
    memcpy(to, &found, size);
    looking = false;
}

/* What fn is, found once. */
#define NEXT(type, name)                                    \
    static _Atomic(type *) known;                           \
    type *fn = atomic_load_explicit(&known, memory_order_relaxed); \
                                                            \
    if (fn == NULL) {                                       \
        watch_find(name, &fn, sizeof fn);                         \
        atomic_store_explicit(&known, fn, memory_order_relaxed); \
    }

static void *watched(void *p, size_t size)
{
    char why[80];

    if (p == NULL && size > 0 && lack_is_unheard()) {
        snprintf(why, sizeof why, "out of memory: needed %zu more bytes", size);
        lack_stop(why);
    }
    return p;
}

SEEN void *malloc(size_t size)
{
    NEXT(of_size, "malloc")
    return watched(fn != NULL ? fn(size) : NULL, size);
}

SEEN void *calloc(size_t n, size_t size)
{
    NEXT(of_two, "calloc")
    return watched(fn != NULL ? fn(n, size) : NULL,
                   size != 0 && n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

SEEN void *realloc(void *p, size_t size)
{
    NEXT(of_block, "realloc")
    return watched(fn != NULL ? fn(p, size) : NULL, size);
}

SEEN void *memalign(size_t align, size_t size)
{
    NEXT(of_two, "memalign")
    return watched(fn != NULL ? fn(align, size) : NULL, size);
}

SEEN void *aligned_alloc(size_t align, size_t size)
{
    NEXT(of_two, "aligned_alloc")
    return watched(fn != NULL ? fn(align, size) : NULL, size);
}

SEEN int posix_memalign(void **p, size_t align, size_t size)
{
    NEXT(of_place, "posix_memalign")
    int status = fn != NULL ? fn(p, align, size) : ENOMEM;

    watched(status != ENOMEM ? p : NULL, size);
    return status;
}

#endif
