/* SPDX-License-Identifier: MIT
 *
 * Locks of a file that one process at a time may use, although it is replaced again and again: a
 * new file is locked before it is renamed to the old name. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

/*
 * Opens the file, creating it if necessary, and locks it until the descriptor is closed; without
 * locks in the file system it is only opened.  -1: ERR_SYSTEM: another process has locked it; it
 * cannot be written.
 */
int lock_open(const char *path, struct err *e);

/* Locks the new file of a descriptor, before it is renamed; returns another descriptor, or -1. */
int lock_next(int fd);

#endif
