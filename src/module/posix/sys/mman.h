/* SPDX-License-Identifier: MIT
 * The files of a page lie in its memory. */
#ifndef POSIX_SYS_MMAN_H
#define POSIX_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

enum { PROT_READ = 1, MAP_PRIVATE = 2, MADV_NORMAL = 0, MADV_DONTNEED = 4 };
#define MAP_FAILED ((void *)-1)

/* Where the loader has put the file; MAP_FAILED: it is none. */
__attribute__((import_module("page"), import_name("map"))) void *page_map(int fd);

#define mmap(at, size, protection, flags, fd, offset) page_map(fd)
#define munmap(p, size) ((void)(p), (void)(size))
#define madvise(p, size, advice) ((void)(p), (void)(size), (void)(advice))

#endif
