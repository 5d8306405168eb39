/* SPDX-License-Identifier: MIT
 * A part of a sheet: a table of cells, each a small heatmap, a number with its colour, or a
 * kind with its name; labels of rows at the left and of columns above, once. */
#ifndef DRAW_BOARD_H
#define DRAW_BOARD_H

#include "draw/heatmap.h"

struct canvas;

/* What cells are, of a few kinds. */
struct board_kinds {
    int n;
    const char *const *name;    /* [n] */
    const short *of;            /* [n_rows, n_cols] or BOARD_NO_KIND, BOARD_NO_CELL */
};

enum { BOARD_NO_KIND = -1, BOARD_NO_CELL = -2 };

struct board {
    int n_rows, n_cols;         /* >= 1 */
    struct label_list rows, cols;       /* n 0: none */
    const char *row_name, *col_name;    /* beside the labels; NULL: none */
    /*
     * Colours, scale and range; cell_px: of a weight of a thumbnail, or the least side of a
     * number's cell; 0: by what there is room for.  The panels: n_rows x n_cols thumbnails, of
     * which those of 0 rows are empty; or one of n_rows x n_cols numbers.  Unused for kinds.
     */
    const struct heatmaps *maps;
    bool thumbnails;
    const struct board_kinds *kinds;    /* NULL: there are maps */
    const char *const *name;    /* [n_rows, n_cols] above the cells; NULL, or of one: none */
    const char *const *brief;   /* the same, for small cells */
};

struct part board_part(const struct board *board);

/*
 * How many tokens of n share a cell of a thumbnail, of which n_cols stand side by side.  page
 * width_px 0: the board decides on the width.  0: there is no room for n_cols on the page;
 * *least_px is the width that would have some.
 */
int board_pool(const struct heatmap_page *page, int n, int n_cols, int cell_px,
               double *least_px);

/*
 * Numbers with as few decimals as tell values up to the largest apart: "0.12", "13", "3.1e-5";
 * without the zero, ".12"; and with one decimal less, ".1".
 */
enum board_detail { BOARD_WHOLE, BOARD_SHORT, BOARD_ROUNDED };
enum { BOARD_TEXT = 32 };
void board_number(char dst[BOARD_TEXT], double value, double largest, enum board_detail detail);

/* Where its cells lie in a PNG of the sheet, whose only part it is: [n_rows, n_cols]. */
void board_cells(const struct sheet *s, struct arena *a, struct box *cells);

/* ---- board_print.c ---- */

/* A thumbnail's cell is the largest of the weights that share it. */
void board_print_thumbnails(const void *board, struct canvas *canvas);
/* Names of kinds where they fit, else letters with a key. */
void board_print_kinds(const void *board, struct canvas *canvas);

#endif
