/* SPDX-License-Identifier: MIT
 * The layout of parts of any size side by side, in rows, each under a heading: pure geometry, in
 * units of the page.
 *
 *     heading | heading
 *     part    | part
 *             | part is higher
 *     heading |
 *     part    | */
#ifndef DRAW_BESIDE_BOXES_H
#define DRAW_BESIDE_BOXES_H

#include "draw/layout.h"

struct beside_sizes {
    struct units units;
    int n, columns;             /* >= 1; the last row may have fewer */
    const struct box *part;     /* [n] w and h of each */
    const double *heading;      /* [n] heights; NULL: there are none */
    bool narrow;                /* on a page of a given width */
};

struct beside_boxes {
    double width, height;
    struct box *heading, *part; /* [n] relative to the corner of the whole */
};

/* The widest part of a column; its headings are as wide. */
double beside_column(const struct beside_sizes *sizes, int column);

/* Memory is allocated in a. */
void beside_make(struct beside_boxes *boxes, const struct beside_sizes *sizes, struct arena *a);

/* The width of each of so many columns on a page of this width, with margins; `more` is reserved
 * after the last. */
double beside_room(struct units units, double width, int columns, double more);

#endif
