/* SPDX-License-Identifier: MIT
 * A part of a sheet: lengths as bars below each other, each with its name and a word beside it. */
#ifndef DRAW_BARS_H
#define DRAW_BARS_H

#include "draw/layout.h"
#include "draw/sheet.h"

struct canvas;

struct bar {
    const char *name;           /* left of it */
    const char *value;          /* right of it: what its length stands for */
    double length;              /* >= 0 */
    double inner;               /* of which this is drawn dark; 0: nothing */
};

struct bars {
    int n;                      /* >= 1 */
    const struct bar *bar;      /* [n] the first on top */
    bool no_labels;             /* neither names nor values */
};

struct part bars_part(const struct bars *bars);

/* Where bar i lies in a PNG of the sheet, whose only part it is. */
struct box bars_box(const struct sheet *s, struct arena *a, int i);

/* The same lengths in characters: full blocks for what is dark, light ones for the rest. */
void bars_print(const void *bars, struct canvas *canvas);

#endif
