/* SPDX-License-Identifier: MIT
 * The texts of a board, measured, and the boxes that follow from them. */
#ifndef DRAW_BOARD_MEASURE_H
#define DRAW_BOARD_MEASURE_H

#include "draw/figure/board.h"
#include "draw/figure/board_boxes.h"
#include "draw/figure/colourbar.h"
#include "draw/figure/key.h"

extern const struct style board_label_style, board_name_style;

struct board_measured {
    const struct board *board;
    struct board_boxes boxes;
    const struct panel *shape;  /* a thumbnail with rows, if any, which gives the size of all */
    struct scale_range *range;  /* [panels] */
    unsigned short *index;      /* [n_rows, n_cols] colour indices of numbers */
    struct page_labels rows, cols;
    struct style col_style, text_style;
    const struct piece *row_name, *col_name;    /* NULL: none */
    const struct piece **text, **name;  /* [n_rows, n_cols] in and above the cells; NULL: none */
    struct colourbar bar;
    bool has_bar;
    bool has_letters;           /* cells have letters, which the legend explains by names of kinds
                                   */
    struct key legend;
};

struct board_measured *board_measure(const struct board *board, struct page *page);

#endif
