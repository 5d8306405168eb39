/* SPDX-License-Identifier: MIT
 * A bar of colours, from below to above: round numbers beside it, and an arrow at each end
 * beyond which there are values. */
#ifndef DRAW_COLOURBAR_H
#define DRAW_COLOURBAR_H

#include "draw/grid.h"
#include "draw/page.h"
#include "draw/scale.h"

/* The two end values as text: as many digits as tell them apart; both "" where there
 * are none, lo "" where they are the same. */
struct colourbar_text { char lo[24], hi[24]; };
struct colourbar_text colourbar_text(enum scale scale, struct scale_range range);

struct colourbar_label {
    const struct piece *text;
    double at;                  /* 0: the low end, 1: the high one */
    bool tick;                  /* of a round number: marked */
};

struct colourbar {
    struct scale_range range;
    int n;
    const struct colourbar_label *label;    /* [n] rising */
};

/* The bars of a figure, of ranges [n]; their numbers have the same decimals.  height: of
 * a bar. */
void colourbar_measure(struct colourbar *bar, int n, struct page *page, enum scale scale,
                       const struct scale_range *range, double height);
double colourbar_width(const struct colourbar *bar);    /* of the widest number */

/* In its box. */
void colourbar_paint(const struct colourbar *bar, struct page *page,
                     const struct grid *grid, const struct cmap *cmap, struct box at);

/* The colours in the box of a bar: what its arrows leave. */
struct box colourbar_colours(struct scale_range range, const struct page *page,
                             const struct grid *grid, struct box at);

#endif
