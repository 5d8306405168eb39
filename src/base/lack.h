/* SPDX-License-Identifier: MIT
 *
 * Lack of memory in libraries that do not report it: cairo, pango, fontconfig and HarfBuzz then
 * crash, never end, or draw something else.  The program sets a function that ends it, at the first
 * allocation that fails during such work (src/watch.c); the library sets none, and nothing is
 * watched. */
#ifndef BASE_LACK_H
#define BASE_LACK_H

#include <stdbool.h>

/* Sets the function that ends the program.  It does not return; it may be called at any allocation,
 * so it must not allocate, nor wait for a lock that may be held during an allocation. */
void lack_ends(void (*end)(const char *why));
bool lack_has_end(void);

/*
 * From now on lack of memory goes unreported, as threads of these libraries continue after their
 * task.  Except in this thread, between lack_hear(true) and lack_hear(false).
 */
void lack_begin(void);
void lack_hear(bool heard);
bool lack_is_unheard(void);

/* Calls the function given to lack_ends, in one thread only; nothing if there is none. */
void lack_stop(const char *why);

#endif
