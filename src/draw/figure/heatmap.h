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
    int place;                  /* on a sheet: index in its rows and columns, from 0, rising */
};

struct page;
struct page_picture;

struct heatmaps {
    int n_panels;               /* >= 1 */
    const struct panel *panels; /* all with the same number of cells */
    int columns;                /* panels per row of the grid, >= 1 */
    int group;                  /* panels per layer, which begins a new row on a terminal; 0: all
                                   panels are one group */
    bool sheet;                 /* panels are at their places, not one after the other; labels only
                                   at the outer edges, if there is room */
    struct label_list rows, cols;   /* left, and below (rotated by 90 degrees); some are
                                       left out where they would touch */
    const char *row_name, *col_name;    /* titles of labels, "query"; NULL: none */
    int pool;                   /* tokens per cell in each direction, >= 1 */
    const struct cmap *cmap;
    enum scale scale;
    bool shared;                /* one range for all panels, from the data */
    float vmin, vmax;           /* NaN: from the data; given: for all panels */
    const struct scale_range *range;    /* of all panels: heatmap_share; NULL: as above */
    double clip;                /* quantile of a range's cells at which colours end; 0: at the
                                   largest value */
    int cell_px;                /* side of a cell at 100 dpi; 0: chosen by heatmap_plan; on a
                                   sheet of a given width it follows from the width */
    int row_px;                 /* least height of rows, at 100 dpi, if cells are narrower; 0:
                                   cells are square */
    const struct page_picture *picture;     /* drawn in grey over each panel, half transparent,
                                   or as a strip below its cells; NULL: none; not on terminals */
    bool no_bars;
    bool numbers;               /* numbers in the cells, which have one token each */
};

/* Most cells of an SVG for which it has a tooltip on each. */
enum { HEATMAP_NOTES = 5000 };

struct part heatmap_part(const struct heatmaps *maps);

/* One range for all panels of maps[n], which have the same scale, from the data of all of them. */
void heatmap_share(struct heatmaps *maps, int n, struct arena *a);

/* The width of a single bar for all of them, on a page of a given width. */
double heatmap_bar_width(const struct heatmaps *maps, struct page *page);

/* The cells of panel i of a measured heatmap_part at this place, without a strip below them. */
struct box heatmap_panel(const void *measured, struct box at, int i);

/* Whether nearly all cells of most panels have nearly the same colour. */
bool heatmap_is_plain(const struct heatmaps *maps, struct arena *a);

/*
 * Plans the cells of n_rows x n_cols tokens: sets *cell_px and *pool so that the longer
 * side of a panel is at most about 600 px at 100 dpi with `columns` panels in a row:
 * large cells for a short sentence, 1 px cells for longer ones, then pooled ones.
 * wish_px > 0: side of a cell; *pool grows only if the picture would exceed 32,000 px on
 * a side.
 */
void heatmap_plan(int n_rows, int n_cols, int n_panels, int columns, int wish_px,
                  int dpi, int *cell_px, int *pool);

/* The same for a sheet, whose panels are smaller the more are in a row. */
void heatmap_plan_thumbs(int n_rows, int n_cols, int n_panels, int columns, int wish_px, int dpi,
                         int *cell_px, int *pool);

/* A page for heatmaps, and which texts and bars are around their cells. */
struct heatmap_page {
    enum draw_format format;
    int dpi;
    double width_px, font_px;   /* at 100 dpi */
    bool labels, bars, one_bar, titles;
    bool sheet;                 /* a sheet, with as many columns as fit */
};

/*
 * The same for a sheet of a given width: sets *columns if it is 0, and *pool.
 * -1: there is no room; *least_px: the width that would suffice.
 */
int heatmap_plan_page(const struct heatmap_page *page, int n_cols, int n_panels, int *columns,
                      int *pool, double *least_px);

/* The boxes of the panels' cells in a PNG of a sheet that has this part alone, in pixels; for
 * tests and for pages that point at cells. */
void heatmap_boxes(const struct sheet *sheet, struct arena *a, struct box *panels,
                   double *width, double *height);

#endif
