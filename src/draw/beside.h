/* SPDX-License-Identifier: MIT
 * A part of a sheet: grids of heatmaps beside each other, each below a heading.  Where all of
 * them have one range, one bar stands beside the last of the first row. */
#ifndef DRAW_BESIDE_H
#define DRAW_BESIDE_H

#include "draw/heatmap.h"

struct beside {
    int n;                      /* >= 1 */
    const struct heatmaps *maps;        /* [n] */
    const char *const *heading; /* [n]; NULL: that one has none */
    int columns;                /* grids in a row, >= 1 */
};

struct part beside_part(const struct beside *beside);

/* Where the cells of each panel, text after text, of a sheet's only part lie in its PNG, in
 * pixels; for tests. */
void beside_panels(const struct sheet *s, struct arena *a, struct box *panels);

/*
 * What each of so many grids has for itself on a page of this width, as the page of a sheet of
 * its own; *page: that of all of them.
 */
double beside_width_px(const struct heatmap_page *page, int columns);

#endif
