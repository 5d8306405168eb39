/* SPDX-License-Identifier: MIT
 * Labels and ticks of one side of a heatmap, drawn once for all panels of a grid. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include "draw/grid.h"
#include "draw/page.h"

struct axis {
    struct style style;         /* of its labels; rotated where they are below */
    double cell;                /* side of a cell, in units */
    int step;                   /* cells from one label to the next */
    int pool;                   /* tokens per cell */
    bool positions;             /* labels are round positions, not tokens */
    struct page_labels labels;
    const struct label_list *list;
};

/*
 * The labels of n_cells cells of `pool` tokens; a cell is labelled with its first
 * token, or, where a text of over 100 tokens has no room for all, with a round position.
 * label_px: the size of their font at 100 dpi; max_w: where they are cut, 0: at LABEL_EM.
 */
void axis_measure(struct axis *axis, struct page *page, const struct label_list *list,
                  int n_cells, int pool, double cell, double label_px, double max_w,
                  bool rotated);

/* Labels of most cells would be left out. */
bool axis_is_crowded(const struct axis *axis);

/* A layer with its ticks and labels, to be destroyed by the caller. */
cairo_surface_t *axis_layer(const struct axis *axis, struct page *page,
                            const struct grid *grid);

/* Paints the layer left of the cells of a panel or, where labels are rotated, below. */
void axis_paint(const struct axis *axis, cairo_surface_t *layer, struct page *page,
                const struct grid *grid, struct box cells);

/* Label i of a rotated axis from y downwards: turned, or upright with its ideographs' top
 * there. */
void axis_draw_below(const struct axis *axis, struct page *page, cairo_t *cr, int i,
                     double centre, double y);

#endif
