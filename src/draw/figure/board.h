/* SPDX-License-Identifier: MIT
 * A part of a sheet: a board, a table of cells (layers x heads), each a small heatmap, a number
 * on its colour, or a kind with its name; with labels of rows on the left and of columns above. */
#ifndef DRAW_BOARD_H
#define DRAW_BOARD_H

#include "draw/figure/heatmap.h"

struct canvas;

/* Cells by kind. */
struct board_kinds {
    int n;
    const char *const *name;    /* [n] */
    const short *of;            /* [n_rows, n_cols] index of a kind, BOARD_NO_KIND, BOARD_NO_CELL */
};

enum { BOARD_NO_KIND = -1, BOARD_NO_CELL = -2 };

struct board {
    int n_rows, n_cols;         /* >= 1 */
    struct label_list rows, cols;       /* n 0: no labels */
    const char *row_name, *col_name;    /* titles of the labels; NULL: none */
    /*
     * Colours, scale and range; cell_px: side of a thumbnail's cell, or least side of a number's
     * cell; 0: by the available room.  The panels: n_rows x n_cols thumbnails, empty ones with 0
     * rows; or one panel of n_rows x n_cols numbers.  Unused for kinds.
     */
    const struct heatmaps *maps;
    bool thumbnails;
    const struct board_kinds *kinds;    /* NULL: the cells are those of maps */
    const char *const *name;    /* [n_rows, n_cols] texts above the cells; NULL, or an element: none
                                   */
    const char *const *brief;   /* the same, for small cells */
};

struct part board_part(const struct board *board);

/*
 * How many of n tokens share a cell of a thumbnail, n_cols of them side by side.  page->width_px 0:
 * the board determines the width.  Returns 0 if there is no room for n_cols; *least_px: the width
 * that would suffice.
 */
int board_pool(const struct heatmap_page *page, int n, int n_cols, int cell_px,
               double *least_px);

/*
 * Formats a number with as few decimals as values up to `largest` require: BOARD_WHOLE "0.12",
 * "13", "3.1e-5"; BOARD_SHORT without the zero, ".12"; BOARD_ROUNDED with one decimal less, ".1".
 */
enum board_detail { BOARD_WHOLE, BOARD_SHORT, BOARD_ROUNDED };
enum { BOARD_TEXT = 32 };
void board_number(char dst[BOARD_TEXT], double value, double largest, enum board_detail detail);

/* The boxes of its cells in a PNG of a sheet that has this part alone: [n_rows, n_cols]. */
void board_cells(const struct sheet *sheet, struct arena *a, struct box *cells);

/* ---- board_print.c ---- */

/* Each cell of a thumbnail is the largest of its weights. */
void board_print_thumbnails(const void *board, struct canvas *canvas);
/* Names of kinds if they fit, else letters with a key. */
void board_print_kinds(const void *board, struct canvas *canvas);

#endif
