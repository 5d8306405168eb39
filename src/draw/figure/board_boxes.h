/* SPDX-License-Identifier: MIT
 *
 * The boxes of a board: pure geometry, in units of the page.
 *
 *            column name
 *               labels
 *     row  '  | cell | cell |     bar
 *     name '  | cell | cell |
 *              legend
 *
 * Each cell may have a name above it. */
#ifndef DRAW_BOARD_BOXES_H
#define DRAW_BOARD_BOXES_H

#include "draw/layout.h"

struct board_sizes {
    struct units units;
    int n_rows, n_cols;
    double cell_w, cell_h, gap; /* size of cells, and gap between them */
    double name_h;              /* height of names above cells; 0: no names */
    double row_label, col_label;    /* largest width of row labels, height of column labels; 0: no
                                       labels */
    double row_name, col_name;  /* height of titles of labels; 0: none */
    double value_w, value_h;    /* size of the widest number of the bar; 0: no bar */
    double legend_w, legend_h;  /* 0: no legend */
};

struct board_boxes {
    double width, height;
    double line, label_gap, bar_gap, bar_w, value_gap;
    struct box first;           /* the first cell */
    double step_x, step_y;      /* from one cell to the next */
    double name_h;
    struct box bar, legend;
};

void board_boxes_make(struct board_boxes *boxes, const struct board_sizes *sizes);

/* The width available for each cell of a board on a page of this width. */
double board_boxes_room(const struct board_sizes *sizes, double width);

/* The box of a cell of a board at this place; its name is above it. */
struct box board_boxes_cell(const struct board_boxes *boxes, struct box at, int row, int col);

#endif
