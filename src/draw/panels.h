/* SPDX-License-Identifier: MIT
 * Panels of the same size beside and below each other, with texts around the field of each,
 * and below them all a legend: pure, in units of the page. */
#ifndef DRAW_PANELS_H
#define DRAW_PANELS_H

#include "draw/layout.h"

struct panels_sizes {
    struct units units;
    int n, columns;
    double field_w, field_h;
    double left, right, above, below;   /* what texts take beside the field */
    double legend_w, legend_h;  /* 0: none */
    bool narrow;                /* on a page of a given width */
};

struct panels {
    double width, height;
    int columns;
    double step_x, step_y;
    struct box first;           /* the field of the first, from the corner of the part */
    struct box legend;
};

void panels_make(struct panels *p, const struct panels_sizes *s);

/* The field of panel i of a part that stands at this place. */
struct box panels_field(const struct panels *p, struct box at, int i);
struct box panels_legend(const struct panels *p, struct box at);

/* The width of a panel with its texts, of so many beside each other on a page of this width. */
double panels_room(struct units units, double width, int columns);

/* As many columns as give each panel this width, at most 8, with the least empty places; 0: not
 * even one has it. */
int panels_columns(struct units units, double width, int n, double least);

#endif
