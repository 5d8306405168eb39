/* SPDX-License-Identifier: MIT
 * Included before every file of the module: functions that the program calls and WASI lacks.
 * A page has no links, no masks and no files to write. */
#ifndef POSIX_POSIX_H
#define POSIX_POSIX_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define realpath(path, room) ((char *)((void)(path), (void)(room), NULL))
#define dup(fd) (-1)
#define dup2(fd, to) (-1)
#define pipe2(ends, flags) ((void)(ends), -1)
#define tee(from, to, size, flags) ((void)(from), (ssize_t)-1)
#define getpgrp() 0
#define tcgetpgrp(fd) 1
#define sched_yield() 0
#define umask(mask) ((mode_t)0)
#define mkstemp(name) ((void)(name), -1)
#define fchmod(fd, mode) ((void)(mode), 0)
#define tmpfile() ((FILE *)NULL)
#define pause() __builtin_trap()         /* for another thread */

#endif
