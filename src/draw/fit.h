/* SPDX-License-Identifier: MIT
 * The layout of a grid of heatmaps on a page of a given width: how many fit side by side; pure
 * geometry. */
#ifndef DRAW_FIT_H
#define DRAW_FIT_H

#include "draw/figure/grid.h"
#include "draw/figure/heatmap.h"

/* The page, and the texts around cells.  Numbers are assumed to have their largest width, and
 * labels to be cut: a layout that fits by this also fits with measured texts. */
struct fit {
    struct units units;
    double width;               /* of the grid, in units */
    double font;                /* in units */
    bool whole_cells;           /* cells are whole pixels */
    bool labels, bars, one_bar, titles;
    int most;                   /* most columns */
    double title_em;            /* usual width of a title, in font sizes */
};

enum { FIT_COLUMNS = 8 };       /* default of the most columns */

/* Initialises it for a sheet of this width, without its margins.  font_px: at 100 dpi. */
void fit_init(struct fit *fit, struct units units, double width_px, double font_px);

/* Sets labels, bars and titles from this page. */
void fit_page(struct fit *fit, const struct heatmap_page *page);

/* The largest width of a row label; cut: reduced if cells would be smaller than by fit_cell()
 * otherwise. */
double fit_label(const struct fit *fit, bool cut);
/* The largest width of a title above a single column. */
double fit_title(const struct fit *fit);

/* The width of each panel's cells with so many columns. */
double fit_room(const struct fit *fit, int n_panels, int columns);

/* Number of columns: as many as are legible, at most fit->most, with the fewest empty places; >= 1.
 * */
int fit_columns(const struct fit *fit, int n_panels);

/* Tokens per cell with which n_cols tokens fit; 0: the room is too small for any. */
int fit_pool(const struct fit *fit, double room, int n_cols);

/* The side of n_cols cells. */
double fit_cell(const struct fit *fit, double room, int n_cols);

#endif
