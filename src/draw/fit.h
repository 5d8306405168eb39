/* SPDX-License-Identifier: MIT
 * A grid of heatmaps on a page of a given width: what fits beside each other, pure. */
#ifndef DRAW_FIT_H
#define DRAW_FIT_H

#include "draw/grid.h"
#include "draw/heatmap.h"

/* The page, and what stands around the cells.  Numbers are taken to be as wide as they may be,
 * and labels cut: what fits by this fits when they have been measured. */
struct fit {
    struct units units;
    double width;               /* of the grid, in units */
    double font;                /* in units */
    bool whole_cells;           /* of pixels */
    bool labels, bars, one_bar, titles;
    int most;                   /* columns */
    double title_em;            /* the usual length of a title, in sizes of the font */
};

enum { FIT_COLUMNS = 8 };       /* at most, if not said otherwise */

/* For a sheet of this width: less its margins.  font_px: at 100 dpi. */
void fit_init(struct fit *f, struct units units, double width_px, double font_px);

/* Of this page, its bars and titles. */
void fit_page(struct fit *f, const struct heatmap_page *p);

/* The longest that a label at the left may be; cut: where cells would be smaller than by
 * fit_cell() otherwise. */
double fit_label(const struct fit *f, bool cut);
/* The longest of a title above the only column. */
double fit_title(const struct fit *f);

/* The width of each panel's cells with so many columns. */
double fit_room(const struct fit *f, int n_panels, int columns);

/* As many columns as are legible, at most f->most, with the least empty places; >= 1. */
int fit_columns(const struct fit *f, int n_panels);

/* Tokens per cell, so that n_cols of them fit; 0: the room is too small for any. */
int fit_pool(const struct fit *f, double room, int n_cols);

/* The side of n_cols cells. */
double fit_cell(const struct fit *f, double room, int n_cols);

#endif
