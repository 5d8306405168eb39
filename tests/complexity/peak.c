/* SPDX-License-Identifier: MIT
 * Preloaded: the most bytes that a run has allocated at once, written at its end to the
 * file that COMPLEXITY_PEAK names.  Linked against glibc's own names of its allocator. */
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size), *__libc_memalign(size_t to, size_t size);
extern void __libc_free(void *p);

static atomic_long held, peak;

static void *took(void *p)
{
    long now = p == NULL ? 0 : atomic_fetch_add(&held, (long)malloc_usable_size(p)) +
                                   (long)malloc_usable_size(p);
    long most = atomic_load(&peak);

    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        continue;
    return p;
}

static void gave(long size)
{
    atomic_fetch_sub(&held, size);
}

void *malloc(size_t size)
{
    return took(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return took(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    long before = p != NULL ? (long)malloc_usable_size(p) : 0;
    void *next = __libc_realloc(p, size);

    if (next != NULL || size == 0)
        gave(before);
    return took(next);
}

void *memalign(size_t to, size_t size)
{
    return took(__libc_memalign(to, size));
}

void *aligned_alloc(size_t to, size_t size)
{
    return memalign(to, size);
}

int posix_memalign(void **p, size_t to, size_t size)
{
    *p = memalign(to, size);
    return *p != NULL ? 0 : 12;
}

void free(void *p)
{
    if (p != NULL)
        gave((long)malloc_usable_size(p));
    __libc_free(p);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("COMPLEXITY_PEAK");
    long most = atomic_load(&peak);
    FILE *f = path != NULL ? fopen(path, "w") : NULL;

    if (f == NULL)
        return;
    fprintf(f, "%ld\n", most);
    fclose(f);
}
