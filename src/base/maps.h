/* SPDX-License-Identifier: MIT
 *
 * Which file an address belongs to, for a process that is about to end. */
#ifndef BASE_MAPS_H
#define BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name of the file that is mapped at the address, cut to fit room bytes; false: none is,
 * or the system does not say (/proc/self/maps).  Safe in a signal handler.
 */
bool maps_name(const void *address, char *name, size_t room);

#endif
