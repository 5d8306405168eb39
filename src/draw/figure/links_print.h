/* SPDX-License-Identifier: MIT
 * Links on a terminal: a table with bars. */
#ifndef DRAW_LINKS_PRINT_H
#define DRAW_LINKS_PRINT_H

#include "draw/canvas.h"
#include "draw/figure/links.h"

/* The print() of the part: for each head its name, and the strongest links of each query that has
 * any. */
void links_print(const void *figure, struct canvas *canvas);

#endif
