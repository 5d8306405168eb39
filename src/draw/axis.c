/* SPDX-License-Identifier: MIT
 * Labels and ticks -> a layer that is painted for all panels of a grid. */
#include "draw/axis.h"

#include <math.h>

/* Tokens: from here on a word in many says less than where it stands. */
enum { LONG_TEXT = 100 };

/* Lines from one position to the next. */
static const double SPARSE = 2.5;

/* Multiples of 10, 20, 50, 100, ... */
static struct page_labels position_labels(struct axis *axis, struct page *page,
                                          const struct label_list *list, long count)
{
    static const int steps[] = { 1, 2, 5 };
    double line = text_line_height(&page->text, &axis->style);
    int step = 10, unit = 10;

    for (int i = 1; step * axis->cell / axis->pool < SPARSE * line && unit < 100000000; i++) {
        unit = i % 3 == 0 ? 10 * unit : unit;
        step = steps[i % 3] * unit;
    }
    axis->step = step / axis->pool > 1 ? step / axis->pool : 1;
    axis->positions = true;
    return page_positions(page, list, count, step, &axis->style);
}

void axis_measure(struct axis *axis, struct page *page, const struct label_list *list,
                  int n_cells, int pool, double cell, double label_px, double max_w,
                  bool rotated)
{
    long count = (long)n_cells * pool;

    *axis = (struct axis){ .style = { label_px, 1.0, 0.13, false, rotated, max_w },
                           .cell = cell, .list = list };
    if (max_w <= 0.0)
        axis->style.max_w = LABEL_EM * text_line_height(&page->text, &axis->style) / 1.1;
    axis->step = grid_label_step(cell, text_line_height(&page->text, &axis->style));
    axis->pool = pool;
    count = count < list->n ? count : list->n;
    if (count > LONG_TEXT && axis->step * pool > 1)
        axis->labels = position_labels(axis, page, list, count);
    else
        axis->labels = page_labels(page, list, count, (long)axis->step * pool, &axis->style);
}

bool axis_is_crowded(const struct axis *axis)
{
    return axis->labels.n > 0 && (axis->positions ? axis->labels.n < 2 : axis->step > 2);
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

/* How far the cells of a label reach from their middle, less half a cell; 0: it has one. */
static double half_span(const struct axis *axis, int i)
{
    return axis->pool > 1 ? 0.0 : (axis->labels.span[i] - 1) / 2.0 * axis->cell;
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
    double cells = axis->pool > 1 ? axis->labels.token[i] / axis->pool + 0.5 :
                                    page_label_middle(&axis->labels, i);

    return overhang(axis, page) + cells * axis->cell;
}

/* Beyond the ticks, between two cells; across: of rows. */
static void fill_mark(const struct axis *axis, struct page *page, cairo_t *cr, int token,
                      double from, double length)
{
    double at = line_at(page, overhang(axis, page) + (double)token / axis->pool * axis->cell, 1.0);
    double line = layout_units(page->units, 1.0);

    cairo_set_source_rgb(cr, 0.13, 0.13, 0.13);
    if (axis->style.rotated)
        cairo_rectangle(cr, at, from, line, length);
    else
        cairo_rectangle(cr, from - length, at, length, line);
    cairo_fill(cr);
}

/* Where sentences begin, if labels are positions, and the second text; from: the cells' edge, with
 * the layer beyond it. */
static void fill_marks(const struct axis *axis, struct page *page, cairo_t *cr,
                       const struct grid *grid, double from, double all)
{
    const struct label_list *list = axis->list;
    int n = axis->positions && list->sentence != NULL ? list->n : 0;
    bool room = axis->cell >= text_line_height(&page->text, &axis->style);
    double mark = page_snap(page, label_start(grid) - grid->label_gap / 2.0);

    for (int i = 0; i < n; i++)
        if (list->sentence[i])
            fill_mark(axis, page, cr, i, from, mark);
    if (list->second > 0)
        fill_mark(axis, page, cr, list->second, from, room ? all : mark);
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
        double centre = centre_of(axis, page, i), half = half_span(axis, i);

        fill_tick(cr, w - grid->line - grid->tick, line_at(page, centre, grid->line),
                  grid->tick, grid->line);
        if (half > 0.0)
            fill_tick(cr, w - grid->line - grid->tick - grid->line,
                      line_at(page, centre - half, grid->line),
                      grid->line, 2.0 * half + grid->line);
        text_draw_line(text, cr, axis->labels.piece[i], TEXT_RIGHT,
                       page_snap(page, w - label_start(grid) -
                                       text_width(axis->labels.piece[i])),
                       page_snap(page, centre + text_middle(text, &axis->style)),
                       axis->step * axis->cell);
    }
    fill_marks(axis, page, cr, grid, w, w);
    page_layer_done(page, cr);
    return layer;
}

void axis_draw_below(const struct axis *axis, struct page *page, cairo_t *cr, int i,
                     double centre, double y)
{
    const struct text *text = &page->text;
    const struct piece *piece = axis->labels.piece[i];
    double max = axis->step * axis->cell, line = text_line_height(text, &axis->style);

    if (text_is_rotated(piece))
        text_draw_rotated(text, cr, piece, TEXT_RIGHT,
                          page_snap(page, centre + text_middle(text, &axis->style)), y, max);
    else
        text_draw_line(text, cr, piece, TEXT_CENTRE,
                       page_snap(page, centre - text_width(piece) / 2.0),
                       page_snap(page, y + 0.8 * line), 2.0 * line);
}

/* Its upper edge lies at the cells' lower edge. */
static cairo_surface_t *col_layer(const struct axis *axis, struct page *page,
                                  const struct grid *grid)
{
    cairo_surface_t *layer = page_layer(page, grid->first.w + 2.0 * overhang(axis, page),
                                        reach(axis, grid));
    cairo_t *cr = cairo_create(layer);

    for (int i = 0; i < axis->labels.n; i++) {
        double centre = centre_of(axis, page, i), half = half_span(axis, i);

        fill_tick(cr, line_at(page, centre, grid->line), grid->line, grid->line,
                  grid->tick);
        if (half > 0.0)
            fill_tick(cr, line_at(page, centre - half, grid->line), grid->line + grid->tick,
                      2.0 * half + grid->line, grid->line);
        axis_draw_below(axis, page, cr, i, centre, label_start(grid));
    }
    fill_marks(axis, page, cr, grid, 0.0, reach(axis, grid));
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
        page_layer_paint(page, layer, cells.x - over, cells.y + cells.h);
    else
        page_layer_paint(page, layer, cells.x - reach(axis, grid), cells.y - over);
}
