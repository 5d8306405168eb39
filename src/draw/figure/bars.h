/* SPDX-License-Identifier: MIT
 * A part of a sheet: lengths as horizontal bars, each with its name on the left and its value on
 * the right. */
#ifndef DRAW_BARS_H
#define DRAW_BARS_H

#include "draw/layout.h"
#include "draw/sheet.h"

struct canvas;

struct bar {
    const char *name;           /* left of it */
    const char *value;          /* text of its length, right of it */
    double length;              /* >= 0 */
    double inner;               /* length of its dark segment; 0: none */
};

struct bars {
    int n;                      /* >= 1 */
    const struct bar *bar;      /* [n] the first on top */
    bool no_labels;             /* neither names nor values */
};

struct part bars_part(const struct bars *bars);

/* The box of bar i in a PNG of a sheet that has this part alone. */
struct box bars_box(const struct sheet *sheet, struct arena *a, int i);

/* The same in characters: full blocks for dark segments, light ones for the rest. */
void bars_print(const void *bars, struct canvas *canvas);

#endif
