/* SPDX-License-Identifier: MIT
 * A grid of heatmaps as a part of a sheet: measures its text, computes its boxes,
 * paints cells, labels, titles and bars. */
#include "draw/heatmap.h"

#include <math.h>
#include <string.h>

#include "draw/axis.h"
#include "draw/cells.h"
#include "draw/colourbar.h"
#include "draw/grid.h"
#include "draw/part.h"

struct measured {
    const struct heatmaps *maps;
    struct grid grid;
    struct axis rows, cols;
    struct scale_range *range;  /* [n_panels] */
    struct colourbar *bar;      /* [n_bars] */
    int n_bars;
    const struct piece **title; /* [n_panels]; NULL: none */
};

static void scripts(const void *of, struct label_scripts *scripts)
{
    const struct heatmaps *maps = of;

    label_scripts_add_list(scripts, &maps->rows);
    label_scripts_add_list(scripts, &maps->cols);
}

/* ---- measuring ---- */

static int cell_px(const struct heatmaps *maps, int dpi)
{
    int px = maps->cell_px, pool;

    if (px <= 0)
        heatmap_plan(maps->panels[0].n_rows, maps->panels[0].n_cols, maps->n_panels,
                     maps->columns, 0, dpi, &px, &pool);
    return px;
}

/* One bar shows them all where all have the same range. */
static bool has_one_bar(const struct heatmaps *maps)
{
    return maps->shared || (!isnan(maps->vmin) && !isnan(maps->vmax));
}

/* The range of the one bar: what any panel has. */
static struct scale_range common_range(const struct heatmaps *maps,
                                       const struct scale_range *range)
{
    struct scale_range all = range[0];

    for (int i = 1; i < maps->n_panels; i++) {
        bool below = all.below || range[i].below, above = all.above || range[i].above;

        all = all.any ? all : range[i];
        all.below = below;
        all.above = above;
    }
    return all;
}

static void measure_bars(struct measured *m, struct page *page, struct grid_sizes *s)
{
    const struct heatmaps *maps = m->maps;
    size_t count = (size_t)maps->n_panels;
    struct scale_range common;

    m->range = arena_alloc(page->arena, count, sizeof *m->range);
    m->bar = arena_alloc(page->arena, count, sizeof *m->bar);
    cells_ranges(maps, m->range, page->arena);
    common = common_range(maps, m->range);
    s->value_h = text_line_height(&page->text, &text_value);
    s->one_bar = has_one_bar(maps);
    m->n_bars = s->one_bar ? 1 : maps->n_panels;
    colourbar_measure(m->bar, m->n_bars, page, maps->scale, s->one_bar ? &common : m->range,
                      grid_bar_height(s));
    for (int i = 0; i < m->n_bars; i++)
        s->value_w = fmax(s->value_w, colourbar_width(&m->bar[i]));
}

/* The widest into s. */
static void measure_titles(struct measured *m, struct page *page, struct grid_sizes *s)
{
    const struct heatmaps *maps = m->maps;

    m->title = arena_alloc(page->arena, (size_t)maps->n_panels, sizeof *m->title);
    for (int i = 0; i < maps->n_panels; i++) {
        const char *title = maps->panels[i].title;

        if (title == NULL)
            continue;
        m->title[i] = text_line(&page->text, &text_heading,
                                label_clean(page->arena, title, strlen(title),
                                            2 * LABEL_CHARS));
        s->panel_w = fmax(s->panel_w, text_width(m->title[i]));
        s->panel_h = text_line_height(&page->text, &text_heading);
    }
}

static void *measure(const void *of, struct page *page, struct box *size)
{
    const struct heatmaps *maps = of;
    int n_rows = maps->panels[0].n_rows, n_cols = maps->panels[0].n_cols;
    int px = cell_px(maps, page->sheet->dpi);
    double cell = px * page->units.px, label_px = grid_label_px(px);
    struct measured *measured = arena_alloc(page->arena, 1, sizeof *measured);
    struct grid_sizes sizes = { .units = page->units, .n_panels = maps->n_panels,
                                .columns = maps->columns, .n_rows = n_rows,
                                .n_cols = n_cols };

    measured->maps = maps;
    sizes.cell = page->vector ? cell : fmax(round(cell), 1.0);
    axis_measure(&measured->rows, page, &maps->rows, n_rows, maps->pool, sizes.cell,
                 label_px, false);
    axis_measure(&measured->cols, page, &maps->cols, n_cols, maps->pool, sizes.cell,
                 label_px, true);
    sizes.row_label = measured->rows.labels.longest;
    sizes.col_label = measured->cols.labels.longest;
    sizes.label_h = text_line_height(&page->text, &measured->rows.style);
    measure_bars(measured, page, &sizes);
    measure_titles(measured, page, &sizes);
    grid_make(&measured->grid, &sizes);
    *size = (struct box){ .w = measured->grid.width, .h = measured->grid.height };
    return measured;
}

/* ---- painting ---- */

/* All panels have the same labels: they are drawn once and painted many times. */
static void paint_axes(const struct measured *m, struct page *page, struct box at)
{
    cairo_surface_t *rows = axis_layer(&m->rows, page, &m->grid);
    cairo_surface_t *cols = axis_layer(&m->cols, page, &m->grid);

    for (int i = 0; i < m->maps->n_panels; i++) {
        struct box cells = grid_panel(&m->grid, at, i);

        axis_paint(&m->rows, rows, page, &m->grid, cells);
        axis_paint(&m->cols, cols, page, &m->grid, cells);
    }
    cairo_surface_destroy(rows);
    cairo_surface_destroy(cols);
}

static void paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct heatmaps *maps = m->maps;
    int n_rows = maps->panels[0].n_rows, n_cols = maps->panels[0].n_cols;
    unsigned short *index = arena_alloc_raw(page->arena, (size_t)n_rows *
                                            (size_t)n_cols, sizeof *index);

    for (int i = 0; i < maps->n_panels; i++) {
        struct box cells = grid_panel(&m->grid, at, i);

        cells_index(maps, &maps->panels[i], m->range[i], index);
        page_frame(page, cells, m->grid.line);
        page_cells(page, maps->cmap, index, n_rows, n_cols, cells);
    }
    paint_axes(m, page, at);
}

static void paint_title(const struct piece *title, struct page *page,
                        const struct grid *grid, struct box cells)
{
    double h = text_line_height(&page->text, &text_heading);
    double x = cells.x + (cells.w - text_width(title)) / 2.0;

    text_draw_line(&page->text, page->cr, title, page_snap(page, x),
                   cells.y - grid->line - grid->panel_gap, 3.0 * h);
}

static void paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < m->maps->n_panels; i++)
        if (m->title[i] != NULL)
            paint_title(m->title[i], page, &m->grid, grid_panel(&m->grid, at, i));
    for (int i = 0; i < m->n_bars; i++)
        colourbar_paint(&m->bar[i], page, &m->grid, m->maps->cmap,
                        grid_bar(&m->grid, at, i));
}

struct part heatmap_part(const struct heatmaps *maps)
{
    static const struct part_type type = { scripts, measure, paint, paint_text };

    return (struct part){ &type, maps };
}

bool heatmap_is_plain(const struct heatmaps *maps, struct arena *a)
{
    static const double most = 0.95;
    struct scale_range *range = arena_alloc(a, (size_t)maps->n_panels, sizeof *range);
    int plain = 0;

    cells_ranges(maps, range, a);
    for (int i = 0; i < maps->n_panels; i++)
        plain += cells_are_plain(maps, &maps->panels[i], range[i], most);
    return 2 * plain > maps->n_panels;
}

void heatmap_boxes(const struct sheet *s, struct arena *a, struct box *panels,
                   double *width, double *height)
{
    const struct measured *measured;
    struct plan plan;
    struct page page;

    page_init(&page, s, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    measured = plan.measured[0];
    for (int i = 0; i < measured->maps->n_panels; i++)
        panels[i] = grid_panel(&measured->grid, plan.layout.part[0], i);
    *width = plan.layout.width;
    *height = plan.layout.height;
    page_finish(&page);
}
