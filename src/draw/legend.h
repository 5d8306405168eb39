/* SPDX-License-Identifier: MIT
 * Which line is of which head: samples and names, in columns. */
#ifndef DRAW_LEGEND_H
#define DRAW_LEGEND_H

#include "draw/page.h"

struct legend {
    int n, columns;
    const struct piece **name;  /* [n] */
    double sample, gap;         /* a line's length; from it to its name */
    double step_x, step_y;      /* from one entry to the next */
    double width, height;
};

/* Of heads [n] with these names, at most max_w wide; n 0: nothing. */
void legend_measure(struct legend *legend, struct page *page, int n, const char *const *name,
                    double max_w);
void legend_paint(const struct legend *legend, struct page *page, struct box at);
void legend_paint_text(const struct legend *legend, struct page *page, struct box at);

/* How many columns of entries this wide fit; at least 1. */
int legend_columns(int n, double entry, double gap, double max_w);

/* A line of this length that shows head i of n, from x at height y. */
void legend_sample(struct page *page, int i, int n, double x, double y, double length);

#endif
