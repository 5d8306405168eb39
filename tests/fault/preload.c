/* SPDX-License-Identifier: MIT
 *
 * Preloaded into the program: fails one of its allocations, or all from one on.
 *
 *     FAULT_ALLOC=N      the N-th call of malloc, calloc, realloc and their like returns NULL
 *     FAULT_ALLOC=N+     so do all that follow
 *     FAULT_LARGE=BYTES  so does every call for that many bytes or more
 *     FAULT_THREAD=N     the same for pthread_create
 *     FAULT_UNLINK=1     no file can be removed
 *
 * Calls count from the start of main, in the order in which they are made; with one thread
 * that order is the same on every run.  At the start of main and at its end (exit included)
 * a system call that does nothing tells the tracer: kill(0, MARK); the second carries the
 * numbers of calls.  Needs glibc. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault/mark.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

/* Which calls fail. */
struct failing {
    unsigned long at;           /* 0: none */
    bool from;
    atomic_ulong made;
};

static struct failing alloc, thread;
static size_t large;            /* the least that fails by its size; 0: none */
static atomic_bool active;

static bool fails(struct failing *f)
{
    unsigned long n;

    if (!atomic_load(&active))
        return false;
    n = atomic_fetch_add(&f->made, 1) + 1;
    return f->at != 0 && (n == f->at || (f->from && n > f->at));
}

static bool no_memory(size_t size)
{
    bool is_large = large > 0 && size >= large && atomic_load(&active);

    if (!fails(&alloc) && !is_large)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return no_memory(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return no_memory(n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return no_memory(size) ? NULL : __libc_realloc(p, size);
}

void *memalign(size_t align, size_t size)
{
    return no_memory(size) ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
    void *got = memalign(align, size);

    if (got == NULL)
        return ENOMEM;
    *p = got;
    return 0;
}

typedef int create_fn(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg);

/* POSIX has data pointers hold functions here; C has no cast for it. */
static create_fn *next_create(void)
{
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    create_fn *fn;

    memcpy(&fn, &found, sizeof fn);
    return fn;
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    return fails(&thread) ? EAGAIN : next_create()(t, attr, run, arg);
}

int unlink(const char *path)
{
    if (getenv("FAULT_UNLINK") == NULL)
        return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = EPERM;
    return -1;
}

/* ---- the border: from main to exit ---- */

static void read_failing(struct failing *f, const char *name)
{
    const char *text = getenv(name);
    char *end;

    if (text == NULL)
        return;
    f->at = strtoul(text, &end, 10);
    f->from = *end == '+';
}

static void tell(unsigned long what, unsigned long a, unsigned long b)
{
    syscall(SYS_kill, 0, FAULT_MARK, what, a, b);
}

static void at_end(void)
{
    atomic_store(&active, false);
    tell(FAULT_END, atomic_load(&alloc.made), atomic_load(&thread.made));
}

static int (*real_main)(int argc, char **argv, char **env);

static int from_main(int argc, char **argv, char **env)
{
    const char *bytes = getenv("FAULT_LARGE");

    large = bytes != NULL ? strtoul(bytes, NULL, 10) : 0;
    read_failing(&alloc, "FAULT_ALLOC");
    read_failing(&thread, "FAULT_THREAD");
    atexit(at_end);
    tell(FAULT_BEGIN, 0, 0);
    atomic_store(&active, true);
    return real_main(argc, argv, env);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

typedef int start_fn(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    start_fn *start;

    memcpy(&start, &found, sizeof start);
    real_main = main;
    return start(from_main, argc, argv, init, fini, rtld_fini, stack_end);
}
