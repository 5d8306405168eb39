/* SPDX-License-Identifier: MIT
 * Counts and text sizes -> the boxes of a grid of heatmaps; no pixels, no fonts. */
#include "draw/figure/grid.h"

#include <math.h>

#include "draw/figure/heatmap.h"

/* Pixels at 100 dpi. */
enum { LINE = 1, SIDE = 600, ONE_BAR = 300 };

static const struct spacing {
    double gutter, tick, label_gap, bar_gap, bar, value_gap, panel_gap;
} wide = { 20, 3, 3, 8, 10, 4, 5 }, narrow = { 8, 2, 2, 4, 6, 4, 3 };

/* The most that a picture may have; cairo's own limit is 32,767. */
static const double SIDE_MAX = 32000.0, AREA_MAX = 4e8;

/* What lies around the cells of a panel. */
struct around { double left, right, above, below, near, under; };    /* near, under: without
                                                                         labels at the edges */

static double beside(const struct grid_sizes *sizes, const struct grid *grid, double label)
{
    return label > 0.0 ?
        grid->line + grid->tick + grid->label_gap + layout_whole(sizes->units, label) : grid->line;
}

/* A bar with its numbers, beyond the frame of the cells. */
static double bar_width(const struct grid_sizes *sizes, const struct grid *grid)
{
    return sizes->value_h > 0.0 ? grid->bar_gap + grid->bar_w + grid->value_gap +
        layout_whole(sizes->units, sizes->value_w) : 0.0;
}

static double row_height(const struct grid_sizes *sizes)
{
    return fmax(sizes->cell, sizes->row);
}

static struct around around(const struct grid_sizes *sizes, const struct grid *grid)
{
    double cells_w = sizes->n_cols * sizes->cell, cells_h = sizes->n_rows * row_height(sizes);
    double over = layout_whole(sizes->units, fmax(sizes->panel_w - cells_w, 0.0) / 2.0);
    double bar = sizes->one_bar ? 0.0 : bar_width(sizes, grid);
    /* Labels of small cells, and a bar's two numbers, reach over a low panel. */
    double label = fmax(sizes->label_h - row_height(sizes), 0.0) / 2.0;
    double values = fmax(2.0 * sizes->value_h - cells_h, 0.0) / 2.0;
    double reach = layout_whole(sizes->units, fmax(label, values));
    struct around a;

    a.near = fmax(grid->line, over);
    a.left = fmax(
        beside(sizes, grid, sizes->row_label) + layout_whole(sizes->units, sizes->row_name), over);
    a.right = fmax(grid->line + bar, over);
    a.below = fmax(beside(sizes, grid, sizes->col_label), reach);
    a.under = sizes->edges ? fmax(grid->line, reach) : a.below;
    a.above = fmax(grid->line + (sizes->panel_h > 0.0 ?
                   grid->panel_gap + layout_whole(sizes->units, sizes->panel_h) : 0.0), reach);
    return a;
}

static int grid_columns_of(const struct grid_sizes *sizes)
{
    return sizes->columns < sizes->n_panels ? sizes->columns : sizes->n_panels;
}

static int grid_rows_of(const struct grid_sizes *sizes)
{
    int columns = grid_columns_of(sizes);

    return (sizes->n_panels + columns - 1) / columns;
}

double grid_bar_height(const struct grid_sizes *sizes)
{
    double cells_h = sizes->n_rows * row_height(sizes);

    return sizes->one_bar ?
               fmax(fmin(grid_rows_of(sizes) * cells_h, layout_units(sizes->units, ONE_BAR)),
                    cells_h) :
               cells_h;
}

/* Beside the cells of the first panel. */
static struct box place_bar(const struct grid *grid)
{
    return (struct box){ grid->first.x + grid->first.w + grid->line + grid->bar_gap, grid->first.y,
                         grid->bar_w, grid->first.h };
}

/* Beyond all slots. */
static struct box place_one_bar(const struct grid_sizes *sizes, const struct grid *grid)
{
    double all = (grid_rows_of(sizes) - 1) * grid->step_y + grid->first.h;
    double h = fmax(fmin(all, layout_units(sizes->units, ONE_BAR)), grid->first.h);

    return (struct box){ grid->width - bar_width(sizes, grid) + grid->bar_gap, grid->first.y,
                         grid->bar_w, h };
}

void grid_make(struct grid *grid, const struct grid_sizes *sizes)
{
    int columns = grid_columns_of(sizes), rows = grid_rows_of(sizes);
    const struct spacing *space = sizes->narrow ? &narrow : &wide;
    double gutter = layout_units(sizes->units, space->gutter);
    double cells_w = sizes->n_cols * sizes->cell, cells_h = sizes->n_rows * row_height(sizes);
    struct around a;

    *grid = (struct grid){
        .line = layout_units(sizes->units, LINE), .tick = layout_units(sizes->units, space->tick),
        .label_gap = layout_units(sizes->units, space->label_gap),
        .bar_gap = layout_units(sizes->units, space->bar_gap),
        .bar_w = layout_units(sizes->units, space->bar),
        .value_gap = layout_units(sizes->units, space->value_gap),
        .panel_gap = layout_units(sizes->units, space->panel_gap), .columns = columns
    };
    a = around(sizes, grid);
    grid->step_x = a.near + cells_w + a.right + gutter;
    grid->step_y = a.above + cells_h + a.under + gutter;
    grid->width = a.left + cells_w + a.right + (columns - 1) * grid->step_x +
                  (sizes->one_bar ? bar_width(sizes, grid) : 0.0);
    grid->height = (rows - 1) * grid->step_y + a.above + cells_h + a.below +
                   layout_whole(sizes->units, sizes->col_name);
    grid->first = (struct box){ a.left, a.above, cells_w, cells_h };
    grid->bar = sizes->one_bar ? place_one_bar(sizes, grid) : place_bar(grid);
}

static double grid_width_of(const struct grid_sizes *s, double cell)
{
    struct grid_sizes sizes = *s;
    struct grid grid;

    sizes.cell = cell;
    grid_make(&grid, &sizes);
    return grid.width;
}

double grid_fit(const struct grid_sizes *sizes, double width)
{
    double fits = 0.0, over = fmax(width, 0.0);

    for (int i = 0; i < 60; i++) {
        double middle = (fits + over) / 2.0;

        if (grid_width_of(sizes, middle) <= width)
            fits = middle;
        else
            over = middle;
    }
    return fits;
}

struct box grid_panel(const struct grid *grid, struct box at, int i)
{
    return (struct box){ at.x + i % grid->columns * grid->step_x + grid->first.x,
                         at.y + i / grid->columns * grid->step_y + grid->first.y,
                         grid->first.w, grid->first.h };
}

struct box grid_bar(const struct grid *grid, struct box at, int i)
{
    return (struct box){ at.x + i % grid->columns * grid->step_x + grid->bar.x,
                         at.y + i / grid->columns * grid->step_y + grid->bar.y, grid->bar.w,
                         grid->bar.h };
}

int grid_label_step(double cell, double label_h)
{
    int step = 1;

    /* Powers of two, as pools are. */
    while (step * cell < label_h && step < 1 << 24)
        step *= 2;
    return step;
}

double grid_label_px(int cell_px)
{
    /* A smaller font rather than labels on every second token only. */
    return cell_px < 9 ? 9.0 : fmin(cell_px / 1.2, 11.0);
}

/* ---- the plan ---- */

/* Labels and a bar beside cells, titles and labels above and below: a guess. */
enum { BESIDE = 190, BEYOND = 170 };

/* The same of thumbnails; and the cells of one, of those side by side. */
enum { THUMB_BESIDE = 24, THUMB_BEYOND = 48, THUMB = 48, LARGE_THUMB = 288, ROW = 1440 };

/* What is to be placed, and what stands around each. */
struct room { int n_rows, n_cols, n_panels, columns, dpi, beside, beyond; };

static bool grid_fits(const struct room *room, int cell_px, int pool)
{
    double px = room->dpi / 100.0, cell = fmax(round(cell_px * px), 1.0);
    double across = room->columns < room->n_panels ? room->columns : room->n_panels;
    double down = ceil(room->n_panels / across);
    double w = across * (ceil((double)room->n_cols / pool) * cell + room->beside * px);
    double h = down * (ceil((double)room->n_rows / pool) * cell + room->beyond * px) + 200 * px;

    return w <= SIDE_MAX && h <= SIDE_MAX && w * h <= AREA_MAX;
}

void heatmap_plan(int n_rows, int n_cols, int n_panels, int columns, int wish_px,
                  int dpi, int *cell_px, int *pool)
{
    const struct room room = { n_rows, n_cols, n_panels, columns, dpi, BESIDE, BEYOND };
    int count = n_rows > n_cols ? n_rows : n_cols;
    /* One or two panels in a row leave room for larger cells. */
    int roomy = (columns < n_panels ? columns : n_panels) <= 2 ? 480 : 288;
    int cell = wish_px;

    *pool = 1;
    if (cell <= 0) {
        cell = roomy / count < 16 ? 16 : roomy / count > 24 ? 24 : roomy / count;
        cell = SIDE / count < cell ? SIDE / count : cell;
        cell = cell < 1 ? 1 : cell;
        while ((count - 1) / *pool + 1 > SIDE)
            *pool *= 2;
        while (cell > 1 && !grid_fits(&room, cell, *pool))
            cell--;
    }
    while (*pool < count && !grid_fits(&room, cell, *pool))
        *pool *= 2;
    *cell_px = cell;
}

void heatmap_plan_thumbs(int n_rows, int n_cols, int n_panels, int columns, int wish_px, int dpi,
                         int *cell_px, int *pool)
{
    const struct room room = { n_rows, n_cols, n_panels, columns, dpi, THUMB_BESIDE,
                               THUMB_BEYOND };
    int count = n_rows > n_cols ? n_rows : n_cols, side = ROW / columns;

    side = side < THUMB ? THUMB : side > LARGE_THUMB ? LARGE_THUMB : side;
    *pool = 1;
    while (wish_px <= 0 && (count - 1) / *pool + 1 > side)
        *pool *= 2;
    *cell_px = wish_px > 0 ? wish_px : side / ((count - 1) / *pool + 1);
    *cell_px = wish_px <= 0 && *cell_px > 24 ? 24 : *cell_px;
    while (wish_px <= 0 && *cell_px > 1 && !grid_fits(&room, *cell_px, *pool))
        --*cell_px;
    while (*pool < count && !grid_fits(&room, *cell_px, *pool))
        *pool *= 2;
}
