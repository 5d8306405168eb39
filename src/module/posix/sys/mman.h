/* SPDX-License-Identifier: MIT
 * mmap for the WebAssembly module: the files of a page are in memory already. */
#ifndef POSIX_SYS_MMAN_H
#define POSIX_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

enum { PROT_READ = 1, MAP_PRIVATE = 2, MADV_NORMAL = 0, MADV_DONTNEED = 4 };
#define MAP_FAILED ((void *)-1)

/* The address at which the loader put the file; MAP_FAILED if fd is not such a file. */
__attribute__((import_module("page"), import_name("map"))) void *page_map(int fd);

#define mmap(at, size, protection, flags, fd, offset) page_map(fd)
#define munmap(p, size) ((void)(p), (void)(size))
#define madvise(p, size, advice) ((void)(p), (void)(size), (void)(advice))

#endif
