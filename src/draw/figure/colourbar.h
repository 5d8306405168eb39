/* SPDX-License-Identifier: MIT
 * A vertical colour bar: round numbers next to it, and an arrow at each end beyond which there are
 * values. */
#ifndef DRAW_COLOURBAR_H
#define DRAW_COLOURBAR_H

#include "draw/figure/grid.h"
#include "draw/page.h"
#include "draw/scale.h"

/* The two end values as text, with as many digits as distinguish them; both "" if there are none,
 * lo "" if they are equal. */
struct colourbar_text { char lo[24], hi[24]; };
struct colourbar_text colourbar_text(enum scale scale, struct scale_range range);

struct colourbar_label {
    const struct piece *text;
    double at;                  /* position, 0: the low end, 1: the high end */
    bool tick;                  /* a round number, which gets a tick */
};

struct colourbar {
    struct scale_range range;
    int n;
    const struct colourbar_label *label;    /* [n] in rising order */
};

/* Measures the bars of a figure, for range[n]; their numbers have the same decimals.  height: that
 * of a bar. */
void colourbar_measure(struct colourbar *bar, int n, struct page *page, enum scale scale,
                       const struct scale_range *range, double height);
double colourbar_width(const struct colourbar *bar);    /* of the widest number */

/* In its box. */
void colourbar_paint(const struct colourbar *bar, struct page *page,
                     const struct grid *grid, const struct cmap *cmap, struct box at);

/* The box of the colours within that of a bar, without its arrows. */
struct box colourbar_colours(struct scale_range range, const struct page *page,
                             const struct grid *grid, struct box at);

#endif
