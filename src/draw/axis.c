/* SPDX-License-Identifier: MIT
 * Labels and ticks to a layer that all panels of a grid share. */
#include "draw/axis.h"

#include <math.h>

void axis_measure(struct axis *axis, struct page *page, const struct label_list *list,
                  int n_cells, int pool, double cell, double label_px, double max_w,
                  bool rotated)
{
    long count = (long)n_cells * pool;

    *axis = (struct axis){ .style = { label_px, 1.0, 0.13, false, rotated, max_w },
                           .cell = cell };
    axis->step = grid_label_step(cell, text_line_height(&page->text, &axis->style));
    axis->labels = page_labels(page, list, count < list->n ? count : list->n,
                               (long)axis->step * pool, &axis->style);
}

/* The first unit of a line of this width, centred; on a whole pixel in a PNG. */
static double line_at(const struct page *page, double centre, double line)
{
    double at = centre - line / 2.0;

    return page->vector ? at : floor(at + 0.5);
}

/* Ticks leave no gap to the frame, which is grid->line wide. */
static void fill_tick(cairo_t *cr, double x, double y, double w, double h)
{
    cairo_set_source_rgb(cr, 0.5, 0.5, 0.5);
    cairo_rectangle(cr, x, y, w, h);
    cairo_fill(cr);
}

/* Layers reach a line of text beyond the cells at both ends: labels of small cells
 * need it. */
static double overhang(const struct axis *axis, const struct page *page)
{
    return ceil(text_line_height(&page->text, &axis->style));
}

/* From the cells to the near ends of the labels. */
static double label_start(const struct grid *grid)
{
    return grid->line + grid->tick + grid->label_gap;
}

/* From the cells to the far ends of the labels. */
static double reach(const struct axis *axis, const struct grid *grid)
{
    return ceil(axis->labels.longest) + label_start(grid);
}

static double centre_of(const struct axis *axis, const struct page *page, int i)
{
    return overhang(axis, page) + (i * axis->step + 0.5) * axis->cell;
}

/* Its right edge lies at the cells' left edge. */
static cairo_surface_t *row_layer(const struct axis *axis, struct page *page,
                                  const struct grid *grid)
{
    const struct text *text = &page->text;
    double w = reach(axis, grid);
    cairo_surface_t *layer = page_layer(page, w, grid->first.h +
                                                 2.0 * overhang(axis, page));
    cairo_t *cr = cairo_create(layer);

    for (int i = 0; i < axis->labels.n; i++) {
        double centre = centre_of(axis, page, i);

        fill_tick(cr, w - grid->line - grid->tick, line_at(page, centre, grid->line),
                  grid->tick, grid->line);
        text_draw_line(text, cr, axis->labels.piece[i],
                       page_snap(page, w - label_start(grid) -
                                       text_width(axis->labels.piece[i])),
                       page_snap(page, centre + text_middle(text, &axis->style)),
                       axis->step * axis->cell);
    }
    page_layer_done(page, cr);
    return layer;
}

/* Its upper edge lies at the cells' lower edge. */
static cairo_surface_t *col_layer(const struct axis *axis, struct page *page,
                                  const struct grid *grid)
{
    const struct text *text = &page->text;
    cairo_surface_t *layer = page_layer(page, grid->first.w + 2.0 * overhang(axis, page),
                                        reach(axis, grid));
    cairo_t *cr = cairo_create(layer);

    for (int i = 0; i < axis->labels.n; i++) {
        double centre = centre_of(axis, page, i);

        fill_tick(cr, line_at(page, centre, grid->line), grid->line, grid->line,
                  grid->tick);
        text_draw_rotated(text, cr, axis->labels.piece[i],
                          page_snap(page, centre + text_middle(text, &axis->style)),
                          label_start(grid), axis->step * axis->cell);
    }
    page_layer_done(page, cr);
    return layer;
}

cairo_surface_t *axis_layer(const struct axis *axis, struct page *page,
                            const struct grid *grid)
{
    return (axis->style.rotated ? col_layer : row_layer)(axis, page, grid);
}

void axis_paint(const struct axis *axis, cairo_surface_t *layer, struct page *page,
                const struct grid *grid, struct box cells)
{
    double over = overhang(axis, page);

    if (axis->labels.n == 0)
        return;
    if (axis->style.rotated)
        cairo_set_source_surface(page->cr, layer, cells.x - over, cells.y + cells.h);
    else
        cairo_set_source_surface(page->cr, layer, cells.x - reach(axis, grid),
                                 cells.y - over);
    cairo_paint(page->cr);
}
