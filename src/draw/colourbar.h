/* SPDX-License-Identifier: MIT
 * The bar beside a panel: its colours from below to above, and its two ends. */
#ifndef DRAW_COLOURBAR_H
#define DRAW_COLOURBAR_H

#include "draw/grid.h"
#include "draw/page.h"
#include "draw/scale.h"

/* The two end values as text: as many digits as tell them apart; both "" where there
 * are none, lo "" where they are the same. */
struct colourbar_text { char lo[24], hi[24]; };
struct colourbar_text colourbar_text(enum scale scale, struct scale_range range);

struct colourbar {
    struct scale_range range;
    const struct piece *lo, *hi;
    bool single;                /* one value, in the middle */
};

void colourbar_measure(struct colourbar *bar, struct page *page, enum scale scale,
                       struct scale_range range);
double colourbar_width(const struct colourbar *bar);    /* of the wider value */

/* Beside the cells of a panel. */
void colourbar_paint(const struct colourbar *bar, struct page *page,
                     const struct grid *grid, const struct cmap *cmap, struct box cells);

#endif
