/* SPDX-License-Identifier: MIT
 * A part of a sheet: grids of heatmaps side by side, each under a heading.  If all have one range,
 * a single colour bar is next to the last grid of the first row. */
#ifndef DRAW_BESIDE_H
#define DRAW_BESIDE_H

#include "draw/figure/heatmap.h"

struct beside {
    int n;                      /* >= 1 */
    const struct heatmaps *maps;        /* [n] */
    const char *const *heading; /* [n] each may be NULL: none */
    int columns;                /* grids in a row, >= 1 */
};

struct part beside_part(const struct beside *beside);

/* The boxes of the panels' cells, text after text, in a PNG of a sheet with this part alone, in
 * pixels; for tests. */
void beside_panels(const struct sheet *sheet, struct arena *a, struct box *panels);

/*
 * The width of each of so many grids on this page, as if it had a page of its own; *page: the page
 * of all of them.
 */
double beside_width_px(const struct heatmap_page *page, int columns);

#endif
