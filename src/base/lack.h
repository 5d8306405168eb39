/* SPDX-License-Identifier: MIT
 *
 * Work of libraries that do not say that they lacked memory: cairo, pango, fontconfig and
 * HarfBuzz crash then, never end, or go on and draw something else.  The program has said
 * what ends it, and ends at the first allocation that fails meanwhile (src/watch.c); in the
 * library nobody has, and nothing is watched. */
#ifndef BASE_LACK_H
#define BASE_LACK_H

#include <stdbool.h>

/* end: does not return; may be called at any allocation, so it makes none and waits for no lock
 * that may be held during one. */
void lack_ends(void (*end)(const char *why));
bool lack_has_end(void);

/*
 * From now on nobody hears that memory ran out: threads of these libraries go on after what
 * they were asked for.  Except in this thread, between lack_hear(true) and lack_hear(false).
 */
void lack_begin(void);
void lack_hear(bool heard);
bool lack_is_unheard(void);

/* Calls what was given to lack_ends, in one thread only; nothing where there is none. */
void lack_stop(const char *why);

#endif
