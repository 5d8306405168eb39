/* SPDX-License-Identifier: MIT
 * A grid of heatmaps on a terminal: blocks of colour, or digits. */
#ifndef DRAW_BLOCKS_H
#define DRAW_BLOCKS_H

#include "draw/canvas.h"
#include "draw/figure/heatmap.h"

/*
 * *pool = how many tokens share a cell so that a heatmap of n_cols tokens fits on a terminal of
 * n_columns.  -1: there is no room; *least: the number of columns that would suffice.
 */
int blocks_plan(int n_columns, bool labels, int n_cols, int *pool, int *least);

/*
 * Appends the heatmaps to the canvas, as many side by side as fit, at most maps->columns (0: any
 * number).  A cell is two columns wide if there is room, else half a line high; without colours it
 * is a digit, tenths of the scale.  Masked cells are blank.
 */
void blocks_print(const void *maps, struct canvas *canvas);

/* ---- pieces of it ---- */

/* The colour of an index as 0xrrggbb; CANVAS_PLAIN for CELL_MASKED. */
int blocks_colour(const struct cmap *cmap, unsigned index);

/* Draws one cell: its background colour, or a digit. */
void blocks_put(struct canvas *canvas, int row, int column, const struct cmap *cmap,
                unsigned index);

/* Draws two cells in one character, the second below the first. */
void blocks_halves(struct canvas *canvas, int row, int column, const struct cmap *cmap,
                   unsigned above, unsigned below);

/* Draws a colour bar "0.00 ..... ≥0.83": numbers at its ends, and as many colours as fit. */
void blocks_bar(const struct heatmaps *maps, struct canvas *canvas, int row, int column, int room,
                struct scale_range range);

#endif
