/* SPDX-License-Identifier: MIT
 *
 * lack_is_unheard and lack_stop of base/lack.h for src/watch.c, in the program of a wheel: what its
 * library says, and nothing until it is there. */
#ifndef START_H
#define START_H

#include <stdbool.h>

bool start_unheard(void);
void start_stop(const char *why);

#endif
