/* SPDX-License-Identifier: MIT
 * The legend of heads' lines: samples and names, in columns. */
#ifndef DRAW_LEGEND_H
#define DRAW_LEGEND_H

#include "draw/page.h"

struct legend {
    int n, columns;
    const struct piece **name;  /* [n] */
    double sample, gap;         /* length of a sample line; gap to its name */
    double step_x, step_y;      /* distances between entries */
    double width, height;
};

/* Measures the legend of n heads with these names, at most max_w wide; n 0: empty. */
void legend_measure(struct legend *legend, struct page *page, int n, const char *const *name,
                    double max_w);
void legend_paint(const struct legend *legend, struct page *page, struct box at);
void legend_paint_text(const struct legend *legend, struct page *page, struct box at);

/* Number of columns of entries of this width that fit; at least 1. */
int legend_columns(int n, double entry, double gap, double max_w);

/* Draws a sample line of this length for head i of n, from x at height y. */
void legend_sample(struct page *page, int i, int n, double x, double y, double length);

#endif
