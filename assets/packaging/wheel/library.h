/* SPDX-License-Identifier: MIT
 *
 * What a wheel's library has for its program (start.c) besides src/mhaviz.h. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>

#pragma GCC visibility push(default)

/* main of src/main.c, which is compiled under this name. */
int mhaviz_program(int argc, char **argv);

/* lack_is_unheard and lack_stop of base/lack.h. */
bool mhaviz_program_unheard(void);
void mhaviz_program_stop(const char *why);

#pragma GCC visibility pop

#endif
