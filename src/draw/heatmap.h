/* SPDX-License-Identifier: MIT
 * A part of a sheet: a grid of heatmaps, each with a title, the same labels to its
 * left and below, and a colour bar. */
#ifndef DRAW_HEATMAP_H
#define DRAW_HEATMAP_H

#include <stdbool.h>

#include "base/arena.h"
#include "draw/cmap.h"
#include "draw/label.h"
#include "draw/layout.h"
#include "draw/scale.h"
#include "draw/sheet.h"

/* One heatmap.  Cells may stand for several tokens each (heatmaps.pool). */
struct panel {
    const char *title;          /* "Head 3"; NULL: none */
    int n_rows, n_cols;         /* cells */
    const float *value;         /* [n_rows, n_cols]; NaN: masked */
    const char *note;           /* a second line, "induction"; NULL: none */
    int place;                  /* of a sheet's in its rows and columns, from 0, rising */
};

struct page;
struct page_picture;

struct heatmaps {
    int n_panels;               /* >= 1 */
    const struct panel *panels; /* all of the same number of cells */
    int columns;                /* panels in a row of the grid, >= 1 */
    int group;                  /* so many panels are of one layer, and begin a row of their own
                                   on a terminal; 0: all */
    bool sheet;                 /* panels stand at their places, not one after the other, with
                                   labels at the edges of all of them, where there is room */
    struct label_list rows, cols;   /* left, and below (rotated by 90 degrees); they thin
                                       out where they would touch */
    const char *row_name, *col_name;    /* beside and below the labels, "query"; NULL: none */
    int pool;                   /* tokens per cell in each direction, >= 1 */
    const struct cmap *cmap;
    enum scale scale;
    bool shared;                /* one range for all panels, from the data */
    float vmin, vmax;           /* NaN: from the data; given: for all panels */
    const struct scale_range *range;    /* of all panels: heatmap_share; NULL: as above */
    double clip;                /* where the colours end: at the least value that this share
                                   of a range's cells do not exceed; 0: at the largest */
    int cell_px;                /* side of a cell at 100 dpi; 0: heatmap_plan chooses; on a
                                   sheet of a given width it follows from that */
    int row_px;                 /* rows are at least so high, at 100 dpi, where cells are
                                   narrower; 0: cells are square */
    const struct page_picture *picture;     /* in grey over each panel, half of the colours,
                                   or a strip below its cells; NULL: none; not on terminals */
    bool no_bars;
    bool numbers;               /* in the cells, which are of one token each */
};

/* An SVG of at most so many cells says what each of them is. */
enum { HEATMAP_NOTES = 5000 };

struct part heatmap_part(const struct heatmaps *maps);

/* One range for all panels of maps[n], which have the same scale, from the data of all of them. */
void heatmap_share(struct heatmaps *maps, int n, struct arena *a);

/* What the one bar of them all takes beside them, on a page of a given width. */
double heatmap_bar_width(const struct heatmaps *maps, struct page *page);

/* Of what heatmap_part's measure returns: the cells of panel i where the part stands at this
 * place, without a strip below them. */
struct box heatmap_panel(const void *measured, struct box at, int i);

/* Nearly all cells of most panels have nearly the same colour. */
bool heatmap_is_plain(const struct heatmaps *maps, struct arena *a);

/*
 * How to show n_rows x n_cols tokens: sets *cell_px and *pool so that the longer
 * side of a panel is at most about 600 px at 100 dpi with `columns` panels in a row:
 * large cells for a short sentence, 1 px cells, then pooled ones.  A wish_px > 0 is
 * the side of a cell, as long as the picture stays under 32,000 px on a side (then
 * *pool grows).
 */
void heatmap_plan(int n_rows, int n_cols, int n_panels, int columns, int wish_px,
                  int dpi, int *cell_px, int *pool);

/* The same for the places of a sheet, with smaller panels the more stand in a row. */
void heatmap_plan_thumbs(int n_rows, int n_cols, int n_panels, int columns, int wish_px, int dpi,
                         int *cell_px, int *pool);

/* A page that heatmaps are to fit on, and what stands around their cells. */
struct heatmap_page {
    enum draw_format format;
    int dpi;
    double width_px, font_px;   /* at 100 dpi */
    bool labels, bars, one_bar, titles;
    bool sheet;                 /* of as many columns as there is room for */
};

/*
 * The same for a sheet of a given width: sets *columns where it is 0, and *pool.
 * -1: there is no room for them; *least_px is the width that would have some.
 */
int heatmap_plan_page(const struct heatmap_page *page, int n_cols, int n_panels, int *columns,
                      int *pool, double *least_px);

/* Where the cells of each panel of a sheet's only part lie in its PNG, in pixels; for
 * tests and for pages that point at cells. */
void heatmap_boxes(const struct sheet *s, struct arena *a, struct box *panels,
                   double *width, double *height);

#endif
