/* SPDX-License-Identifier: MIT
 *
 * The boxes of a grid of heatmaps: pure geometry, in units of the page.
 *
 * A panel's slot, the same for all panels of a grid; rows have labels in the first column:
 *
 *              | title of the panel |
 *     labels ' |   cells (box)      | bar - 0.8
 *              '  '  '  '  '              - 0.4
 *              labels, rotated
 *
 * One bar for all panels stands to the right of them. */
#ifndef DRAW_GRID_H
#define DRAW_GRID_H

#include "draw/layout.h"

struct grid_sizes {
    struct units units;
    int n_panels, columns;      /* number of panels, some of which may be empty */
    int n_rows, n_cols;         /* cells of a panel */
    double cell;                /* side of a cell */
    double row;                 /* least height of rows; 0: cells are square */
    bool edges;                 /* labels of columns are only below the lowest panels */
    double row_label, col_label;    /* length of the longest label; 0: no labels */
    double label_h;             /* height of a line of labels */
    double row_name, col_name;  /* height of the title left of row labels, and of that below
                                   the lowest column labels; 0: none */
    double value_w, value_h;    /* size of the widest number of a bar; 0: no bar */
    bool one_bar;               /* one bar for all panels */
    bool narrow;                /* small gaps, on a page of a given width */
    double panel_w, panel_h;    /* size of the widest panel title; 0: none */
};

struct grid {
    double width, height;
    double line, tick, label_gap;   /* widths: of lines, of ticks, beyond ticks */
    double bar_gap, bar_w, value_gap;   /* to the right of the cells */
    double panel_gap;           /* from a panel's title to its frame */
    int columns;
    double step_x, step_y;      /* from one panel to the next */
    struct box first;           /* cells of the first panel, relative to the grid's corner */
    struct box bar;             /* bar of the first panel, or the only one */
};

void grid_make(struct grid *grid, const struct grid_sizes *sizes);

/* The side of a cell with which the grid has this width; 0: there is no room. */
double grid_fit(const struct grid_sizes *sizes, double width);

/* The cells of panel i of a grid at this place. */
struct box grid_panel(const struct grid *grid, struct box at, int i);
/* Its bar; with one bar for all panels only panel 0 has one. */
struct box grid_bar(const struct grid *grid, struct box at, int i);
/* The least height of a bar. */
double grid_bar_height(const struct grid_sizes *sizes);

/* Number of cells per label with which lines of height label_h do not touch. */
int grid_label_step(double cell, double label_h);
/* The size of a label's font at 100 dpi for cells of this size. */
double grid_label_px(int cell_px);

#endif
