/* SPDX-License-Identifier: MIT
 * The layout of panels of the same size in a grid, with texts around the field of each, and a
 * legend below them: pure geometry, in units of the page. */
#ifndef DRAW_PANELS_H
#define DRAW_PANELS_H

#include "draw/layout.h"

struct panels_sizes {
    struct units units;
    int n, columns;
    double field_w, field_h;
    double left, right, above, below;   /* room for texts around the field */
    double legend_w, legend_h;  /* 0: no legend */
    bool narrow;                /* on a page of a given width */
};

struct panels {
    double width, height;
    int columns;
    double step_x, step_y;      /* distances between panels */
    struct box first;           /* field of the first panel, relative to the part's corner */
    struct box legend;
};

void panels_make(struct panels *panels, const struct panels_sizes *sizes);

/* The field of panel i of a part at this place. */
struct box panels_field(const struct panels *panels, struct box at, int i);
struct box panels_legend(const struct panels *panels, struct box at);

/* The width of a panel with its texts, with so many columns on a page of this width. */
double panels_room(struct units units, double width, int columns);

/* Number of columns that give each panel at least this width, at most 8, with the fewest empty
 * places; 0: not even one has room. */
int panels_columns(struct units units, double width, int n, double least);

#endif
