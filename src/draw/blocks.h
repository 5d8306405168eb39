/* SPDX-License-Identifier: MIT
 * A grid of heatmaps on a terminal: blocks of colour, or digits. */
#ifndef DRAW_BLOCKS_H
#define DRAW_BLOCKS_H

#include "draw/canvas.h"
#include "draw/heatmap.h"

/*
 * How many tokens share a cell, *pool, so that a heatmap of n_cols tokens fits on a terminal of
 * n_columns.  -1: there is no room for any; *least is the number of columns that would have it.
 */
int blocks_plan(int n_columns, bool labels, int n_cols, int *pool, int *least);

/*
 * The heatmaps below what stands on the canvas, as many side by side as fit, at most
 * maps->columns (0: any number).  A cell is two columns wide where they fit, else half a line
 * high; a digit
 * without colours: tenths of the scale.  What is masked is blank.
 */
void blocks_print(const void *maps, struct canvas *c);

/* ---- pieces of it ---- */

/* As 0xrrggbb; CANVAS_PLAIN of CELL_MASKED. */
int blocks_colour(const struct cmap *cmap, unsigned index);

/* One cell: its ground, or a digit. */
void blocks_put(struct canvas *c, int row, int column, const struct cmap *cmap, unsigned index);

/* Two cells, the second below the first. */
void blocks_halves(struct canvas *c, int row, int column, const struct cmap *cmap, unsigned above,
                   unsigned below);

/* "0.00 ..... ≥0.83": numbers at its ends, and as many colours as there is room for. */
void blocks_bar(const struct heatmaps *maps, struct canvas *c, int row, int column, int room,
                struct scale_range range);

#endif
