/* SPDX-License-Identifier: MIT
 *
 * A file that one process at a time works with, though it is replaced again and again: whoever
 * replaces it locks the new one before it takes the name. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

/*
 * Opens the file, which is empty if it was not there, and locks it until the descriptor is
 * closed.  Where the file system has no locks, it is only opened.  -1: ERR_SYSTEM: another
 * process has it; it cannot be written.
 */
int lock_open(const char *path, struct err *e);

/* Locks the file of a descriptor, which is not at its place yet: another one, or -1. */
int lock_next(int fd);

#endif
