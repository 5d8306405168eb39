/* SPDX-License-Identifier: MIT
 * Labels and ticks of one side of a heatmap, drawn once for all panels of a grid. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include "draw/figure/grid.h"
#include "draw/page.h"

struct axis {
    struct style style;         /* style of labels; rotated if they are below the cells */
    double cell;                /* side of a cell, in units */
    int step;                   /* cells between labels */
    int pool;                   /* tokens per cell */
    bool positions;             /* labels are round positions, not tokens */
    struct page_labels labels;
    const struct label_list *list;
};

/*
 * Measures the labels of n_cells cells of `pool` tokens; a cell is labelled with its first
 * token, or, if a text of over 100 tokens has no room for all, with a round position.
 * label_px: font size at 100 dpi; max_w: width at which labels are cut, 0: LABEL_EM.
 */
void axis_measure(struct axis *axis, struct page *page, const struct label_list *list,
                  int n_cells, int pool, double cell, double label_px, double max_w,
                  bool rotated);

/* Whether most cells would have no label for lack of room. */
bool axis_is_crowded(const struct axis *axis);

/* A layer with the ticks and labels, to be destroyed by the caller. */
cairo_surface_t *axis_layer(const struct axis *axis, struct page *page,
                            const struct grid *grid);

/* Paints the layer left of a panel's cells or, if labels are rotated, below them. */
void axis_paint(const struct axis *axis, cairo_surface_t *layer, struct page *page,
                const struct grid *grid, struct box cells);

/* Draws label i of a rotated axis from y downwards: rotated, or upright, with its top at y, if it
 * is an ideograph. */
void axis_draw_below(const struct axis *axis, struct page *page, cairo_t *cr, int i,
                     double centre, double y);

#endif
