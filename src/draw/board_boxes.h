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
 * A name may stand above each cell. */
#ifndef DRAW_BOARD_BOXES_H
#define DRAW_BOARD_BOXES_H

#include "draw/layout.h"

struct board_sizes {
    struct units units;
    int n_rows, n_cols;
    double cell_w, cell_h, gap; /* of cells, and between them */
    double name_h;              /* above each cell; 0: no names */
    double row_label, col_label;    /* the widest of those at the left, the height of those
                                       above; 0: none */
    double row_name, col_name;  /* a line beside the labels; 0: none */
    double value_w, value_h;    /* the widest number of the bar; 0: no bar */
    double legend_w, legend_h;  /* 0: none */
};

struct board_boxes {
    double width, height;
    double line, label_gap, bar_gap, bar_w, value_gap;
    struct box first;           /* the first cell */
    double step_x, step_y;      /* from one cell to the next */
    double name_h;
    struct box bar, legend;
};

void board_boxes_make(struct board_boxes *b, const struct board_sizes *s);

/* The width that is left for each cell of a board on a page of this width. */
double board_boxes_room(const struct board_sizes *s, double width);

/* A cell of a board that stands at this place; its name lies above it. */
struct box board_boxes_cell(const struct board_boxes *b, struct box at, int row, int col);

#endif
