/* SPDX-License-Identifier: MIT
 *
 * The mapped file at an address, for the message of a process that is about to end. */
#ifndef BASE_MAPS_H
#define BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name of the file mapped at the address, cut to fit room bytes; false if there is none, or
 * the system has no /proc/self/maps.  Safe in a signal handler.
 */
bool maps_name(const void *address, char *name, size_t room);

#endif
