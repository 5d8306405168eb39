/* SPDX-License-Identifier: MIT
 * A grid of heatmaps as a part of a sheet: measures its text, computes its boxes,
 * paints cells, labels, titles and bars. */
#include "draw/figure/heatmap.h"

#include <math.h>
#include <string.h>

#include "draw/axis.h"
#include "draw/figure/blocks.h"
#include "draw/figure/cells.h"
#include "draw/figure/colourbar.h"
#include "draw/figure/grid.h"
#include "draw/figure/numbers.h"
#include "draw/fit.h"
#include "draw/part.h"

struct measured {
    const struct heatmaps *maps;
    struct grid grid;
    struct axis rows, cols;
    struct scale_range *range;  /* [n_panels] */
    struct colourbar *bar;      /* [n_bars] */
    int n_bars;
    const struct piece **title, **note; /* [n_panels]; NULL: none */
    const int *place;           /* [n_panels] in the grid */
    const bool *lowest;         /* [n_panels] of its column */
    const struct piece *row_name, *col_name;    /* NULL: none */
    double number_px;           /* the font of numbers in cells; 0: none */
    double name_h;              /* a line of them, with what parts it from the labels */
};

/* Of axes. */
static const struct style name_across = { 10.0, 1.0, 0.38, false, false, 0.0 };
static const struct style name_up = { 10.0, 1.0, 0.38, false, true, 0.0 };

static void heatmap_scripts(const void *of, struct label_scripts *scripts)
{
    const struct heatmaps *maps = of;

    label_scripts_add_list(scripts, &maps->rows);
    label_scripts_add_list(scripts, &maps->cols);
}

/* ---- measuring ---- */

/* Rows of cells that the picture below them takes. */
static int strip_of(const struct heatmaps *maps)
{
    return maps->picture != NULL ? maps->picture->strip : 0;
}

static int cell_px(const struct heatmaps *maps, int dpi)
{
    int px = maps->cell_px, pool;

    if (px <= 0)
        heatmap_plan(maps->panels[0].n_rows, maps->panels[0].n_cols, maps->n_panels,
                     maps->columns, 0, dpi, &px, &pool);
    return px;
}

static void measure_bars(struct measured *measured, struct page *page, struct grid_sizes *sizes)
{
    const struct heatmaps *maps = measured->maps;
    size_t count = (size_t)maps->n_panels;
    struct scale_range common;

    measured->range = arena_alloc(page->arena, count, sizeof *measured->range);
    measured->bar = arena_alloc(page->arena, count, sizeof *measured->bar);
    cells_ranges(maps, measured->range, page->arena);
    if (maps->no_bars)
        return;
    common = cells_common_range(maps, measured->range);
    sizes->value_h = text_line_height(&page->text, &text_value);
    measured->n_bars = sizes->one_bar ? 1 : maps->n_panels;
    colourbar_measure(measured->bar, measured->n_bars, page, maps->scale,
                      sizes->one_bar ? &common : measured->range, grid_bar_height(sizes));
    for (int i = 0; i < measured->n_bars; i++)
        sizes->value_w = fmax(sizes->value_w, colourbar_width(&measured->bar[i]));
}

static const struct style note_style = { 10.0, 1.0, 0.25, false, false, 0.0 };

/* A line above a panel, NULL: none; the widest into sizes. */
static const struct piece *measure_line(struct page *page, struct grid_sizes *sizes,
                                        const char *line, struct style style, double max_w)
{
    const struct piece *piece;

    if (line == NULL)
        return NULL;
    style.max_w = max_w;
    piece = text_line(&page->text, &style,
                      label_clean(page->arena, line, strlen(line), 2 * LABEL_CHARS));
    sizes->panel_w = fmax(sizes->panel_w, text_width(piece));
    return piece;
}

static void measure_titles(struct measured *measured, struct page *page, struct grid_sizes *sizes,
                           double max_w)
{
    const struct heatmaps *maps = measured->maps;
    double title = 0.0, note = 0.0;

    measured->title = arena_alloc(page->arena, (size_t)maps->n_panels, sizeof *measured->title);
    measured->note = arena_alloc(page->arena, (size_t)maps->n_panels, sizeof *measured->note);
    for (int i = 0; i < maps->n_panels; i++) {
        const struct panel *panel = &maps->panels[i];

        measured->title[i] = measure_line(page, sizes, panel->title, text_heading, max_w);
        measured->note[i] = measure_line(page, sizes, panel->note, note_style, max_w);
        if (measured->title[i] != NULL)
            title = text_line_height(&page->text, &text_heading);
        if (measured->note[i] != NULL)
            note = text_line_height(&page->text, &note_style);
    }
    sizes->panel_h = title + note;
}

static void measure_axes(struct measured *measured, struct page *page, struct grid_sizes *sizes,
                         double label_px, double max_w)
{
    const struct heatmaps *maps = measured->maps;

    axis_measure(&measured->rows, page, &maps->rows, maps->panels[0].n_rows, maps->pool,
                 fmax(sizes->cell, sizes->row), label_px, max_w, false);
    axis_measure(&measured->cols, page, &maps->cols, sizes->n_cols, maps->pool, sizes->cell,
                 label_px, max_w, true);
    sizes->row_label = measured->rows.labels.longest;
    sizes->col_label = measured->cols.labels.longest;
    sizes->label_h = text_line_height(&page->text, &measured->rows.style);
}

/* Of thumbnails: where only every fourth token would have one, they say little. */
static bool leave_out_labels(struct measured *measured, struct grid_sizes *sizes)
{
    if (!axis_is_crowded(&measured->rows) && !axis_is_crowded(&measured->cols))
        return false;
    measured->rows.labels = measured->cols.labels = (struct page_labels){ .n = 0 };
    sizes->row_label = sizes->col_label = 0.0;
    return true;
}

/* Cells of a size that was chosen; the sheet is as wide as they make it. */
static void measure_by_cell(struct measured *measured, struct page *page, struct grid_sizes *sizes)
{
    int px = cell_px(measured->maps, page->sheet->dpi);
    double cell = px * page->units.px;

    sizes->cell = page->vector ? cell : fmax(round(cell), 1.0);
    measure_axes(measured, page, sizes, grid_label_px(px), 0.0);
    if (measured->maps->sheet)
        leave_out_labels(measured, sizes);
    measure_bars(measured, page, sizes);
    measure_titles(measured, page, sizes, 0.0);
}

/* The size of cells that the labels leave room for; of all labels, before they are thinned. */
static void fit_cells(struct measured *measured, struct page *page, struct grid_sizes *sizes,
                      const struct fit *fit, bool cut)
{
    double font = page->sheet->font_px, label = fit_label(fit, cut), cell, longest;

    sizes->cell = fit->width;
    measure_axes(measured, page, sizes, font, label);
    longest = sizes->row_label;
    cell = grid_fit(sizes, fit->width);
    sizes->cell = fit->whole_cells ? floor(cell) : cell;
    measure_axes(measured, page, sizes, font, label);
    sizes->row_label = longest;
    if (measured->maps->sheet && leave_out_labels(measured, sizes)) {
        cell = grid_fit(sizes, fit->width);
        sizes->cell = fit->whole_cells ? floor(cell) : cell;
    }
}

/* Of cells that lose nothing to a label: in sizes of its font. */
static const double LARGE = 2.0;

/* A sheet of a given width: bars and titles first, then the cells, which may leave titles more room
   than they were cut to. */
static void measure_by_width(struct measured *measured, struct page *page, struct grid_sizes *sizes)
{
    const struct heatmaps *maps = measured->maps;
    const struct sheet *sheet = page->sheet;
    const struct heatmap_page asked = {
        page->format, sheet->dpi, sheet->width_px, sheet->font_px, maps->rows.n > 0,
        !maps->no_bars, sizes->one_bar, maps->panels[0].title != NULL, maps->sheet,
    };
    struct fit fit;
    double room, least;

    fit_page(&fit, &asked);
    sizes->narrow = true;
    room = fmax(fit_room(&fit, sizes->n_panels, sizes->columns), 1.0);
    sizes->cell = least = fit_cell(&fit, room, sizes->n_cols);
    measure_bars(measured, page, sizes);
    measure_titles(measured, page, sizes, sizes->columns > 1 ? room : fmax(fit_title(&fit), room));
    fit_cells(measured, page, sizes, &fit, false);
    if (sizes->cell < least && sizes->cell < LARGE * fit.font)
        fit_cells(measured, page, sizes, &fit, true);
    sizes->cell = fmax(sizes->cell, fit.whole_cells ? 1.0 : 0.0);
    if (sizes->columns > 1 && sizes->cell * sizes->n_cols > room)
        measure_titles(measured, page, sizes, sizes->cell * sizes->n_cols);
}

static void heatmap_measure_names(struct measured *measured, struct page *page,
                                  struct grid_sizes *sizes)
{
    const struct heatmaps *maps = measured->maps;

    if (maps->row_name == NULL || maps->rows.n == 0)
        return;
    measured->row_name = text_line(&page->text, &name_up, maps->row_name);
    measured->col_name = text_line(&page->text, &name_across, maps->col_name);
    measured->name_h = 1.5 * text_line_height(&page->text, &name_across);
    sizes->row_name = sizes->col_name = measured->name_h;
}

static int heatmap_place_of(const struct heatmaps *maps, int i)
{
    return maps->sheet ? maps->panels[i].place : i;
}

static int count_places(const struct heatmaps *maps)
{
    return heatmap_place_of(maps, maps->n_panels - 1) + 1;
}

static void find_places(struct measured *measured, struct arena *a)
{
    int count = measured->maps->n_panels, columns = measured->maps->columns;
    int *place = arena_alloc(a, (size_t)count, sizeof *place);
    bool *lowest = arena_alloc(a, (size_t)count, sizeof *lowest);
    bool *covered = arena_alloc(a, (size_t)columns, sizeof *covered);

    for (int i = count - 1; i >= 0; i--) {
        place[i] = heatmap_place_of(measured->maps, i);
        lowest[i] = !covered[place[i] % columns];
        covered[place[i] % columns] = true;
    }
    measured->place = place;
    measured->lowest = lowest;
}

/* Of a panel's cells, without the strip below them. */
static struct box cells_of(const struct measured *measured, struct box panel)
{
    int n_rows = measured->maps->panels[0].n_rows;

    panel.h = panel.h / (n_rows + strip_of(measured->maps)) * n_rows;
    return panel;
}

static struct box panel_box(const struct measured *measured, struct box at, int i)
{
    return grid_panel(&measured->grid, at, measured->place[i]);
}

static void *heatmap_measure(const void *of, struct page *page, struct box *size)
{
    const struct heatmaps *maps = of;
    struct measured *measured = arena_alloc(page->arena, 1, sizeof *measured);
    struct grid_sizes sizes = { .units = page->units, .n_panels = count_places(maps),
                                .columns = maps->columns, .edges = maps->sheet,
                                .n_rows = maps->panels[0].n_rows + strip_of(maps),
                                .n_cols = maps->panels[0].n_cols,
                                .row = layout_units(page->units, maps->row_px),
                                .one_bar = cells_have_one_range(maps) && !maps->no_bars };

    measured->maps = maps;
    find_places(measured, page->arena);
    heatmap_measure_names(measured, page, &sizes);
    if (page->sheet->width_px > 0.0)
        measure_by_width(measured, page, &sizes);
    else
        measure_by_cell(measured, page, &sizes);
    grid_make(&measured->grid, &sizes);
    if (maps->numbers)
        measured->number_px = numbers_font(page, maps, sizes.cell);
    *size = (struct box){ .w = measured->grid.width, .h = measured->grid.height };
    return measured;
}

/* ---- painting ---- */

/* All panels have the same labels: they are drawn once and painted many times, those of rows
 * at the left edge. */
static void paint_axes(const struct measured *measured, struct page *page, struct box at)
{
    cairo_surface_t *rows = axis_layer(&measured->rows, page, &measured->grid);
    cairo_surface_t *cols = axis_layer(&measured->cols, page, &measured->grid);

    for (int i = 0; i < measured->maps->n_panels; i++) {
        struct box cells = panel_box(measured, at, i);

        if (measured->place[i] % measured->grid.columns == 0)
            axis_paint(&measured->rows, rows, page, &measured->grid, cells_of(measured, cells));
        if (measured->lowest[i] || !measured->maps->sheet)
            axis_paint(&measured->cols, cols, page, &measured->grid, cells);
    }
    cairo_surface_destroy(rows);
    cairo_surface_destroy(cols);
}

/* Its token, or its number where there are no labels. */
static const char *heatmap_name_of(struct arena *a, const struct label_list *list, int i)
{
    return i < list->n ? label_clean(a, list->text[i], label_size(list, i), LABEL_CHARS) :
                         arena_printf(a, "%d", i);
}

/* "cat → the: 0.1234" in an SVG of short texts, for who points at a cell. */
static void note_cells(const struct heatmaps *maps, struct page *page, const struct panel *panel,
                       struct box cells)
{
    double w = cells.w / panel->n_cols, h = cells.h / panel->n_rows;

    for (int i = 0; i < panel->n_rows; i++) {
        const char *query = heatmap_name_of(page->arena, &maps->rows, i);

        for (int j = 0; j < panel->n_cols; j++) {
            double value = (double)panel->value[(size_t)i * (size_t)panel->n_cols + (size_t)j];

            if (!isnan(value))
                page_note(page, (struct box){ cells.x + j * w, cells.y + i * h, w, h },
                          arena_printf(page->arena, "%s → %s: %.4g", query,
                                       heatmap_name_of(page->arena, &maps->cols, j), value));
        }
    }
}

static bool has_notes(const struct heatmaps *maps, const struct page *page)
{
    const struct panel *p = maps->panels;

    return page->format == DRAW_SVG && maps->pool == 1 &&
           (double)maps->n_panels * p->n_rows * p->n_cols <= HEATMAP_NOTES;
}

/* Between the texts of a pair, where cells are large enough to keep their colours. */
static void paint_pair(const struct measured *measured, struct page *page, struct box cells)
{
    enum { LEAST = 4 };         /* lines to a cell */
    const struct heatmaps *maps = measured->maps;
    double line = measured->grid.line, cell = measured->cols.cell;
    double x = page_snap(page, cells.x + maps->cols.second * cell - line / 2.0);
    double y = page_snap(page, cells.y + maps->rows.second * measured->rows.cell - line / 2.0);

    if (maps->pool > 1 || cell < LEAST * line)
        return;
    cairo_set_source_rgb(page->cr, 0.5, 0.5, 0.5);
    if (maps->cols.second > 0)
        cairo_rectangle(page->cr, x, cells.y, line, cells.h);
    if (maps->rows.second > 0)
        cairo_rectangle(page->cr, cells.x, y, cells.w, line);
    cairo_fill(page->cr);
}

static void heatmap_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct heatmaps *maps = m->maps;
    bool notes = has_notes(maps, page);
    int n_rows = maps->panels[0].n_rows, n_cols = maps->panels[0].n_cols;
    unsigned short *index = arena_alloc_raw(page->arena, (size_t)n_rows *
                                            (size_t)n_cols, sizeof *index);

    for (int i = 0; i < maps->n_panels; i++) {
        struct box panel = panel_box(m, at, i), cells = cells_of(m, panel), below = panel;

        cells_index(maps, &maps->panels[i], m->range[i], index);
        page_frame(page, panel, m->grid.line);
        page_cells(page, maps->cmap, index, n_rows, n_cols, cells);
        paint_pair(m, page, cells);
        below.y += cells.h;
        below.h -= cells.h;
        if (maps->picture != NULL)
            page_grey(page, maps->picture, strip_of(maps) > 0 ? below : cells);
        if (m->number_px > 0.0)
            numbers_paint(page, maps, &maps->panels[i], index, m->number_px, cells);
        if (notes)
            note_cells(maps, page, &maps->panels[i], cells);
    }
    paint_axes(m, page, at);
}

/* Its baseline at y. */
static void paint_centred(const struct piece *line, struct page *page, struct box cells, double y)
{
    double h = text_line_height(&page->text, &text_heading);
    double x = cells.x + (cells.w - text_width(line)) / 2.0;

    text_draw_line(&page->text, page->cr, line, TEXT_CENTRE, page_snap(page, x), y, 3.0 * h);
}

static void paint_title(const struct measured *measured, struct page *page, struct box at, int i)
{
    struct box cells = panel_box(measured, at, i);
    double y = cells.y - measured->grid.line - measured->grid.panel_gap;

    if (measured->note[i] != NULL)
        paint_centred(measured->note[i], page, cells, y);
    if (measured->title[i] != NULL)
        paint_centred(measured->title[i], page, cells,
                      measured->note[i] == NULL ? y :
                      page_snap(page, y - text_line_height(&page->text, &note_style)));
}

/* Beside the first panel of each row, and below the last of each column. */
static void heatmap_paint_names(const struct measured *measured, struct page *page, struct box at)
{
    const struct text *text = &page->text;
    double middle = text_middle(text, &name_across);
    double gap = measured->grid.line + measured->grid.tick + measured->grid.label_gap;
    double beside = gap + measured->rows.labels.longest,
           below = gap + measured->cols.labels.longest;

    for (int i = 0; i < measured->maps->n_panels; i++) {
        struct box cells = panel_box(measured, at, i);
        double y = cells.y + cells.h + below + measured->name_h / 2.0 + middle;

        if (measured->place[i] % measured->grid.columns == 0)
            text_draw_rotated(text, page->cr, measured->row_name, TEXT_CENTRE,
                              page_snap(page, at.x + measured->grid.first.x - beside -
                                                  measured->name_h / 2.0 + middle),
                              cells.y + (cells.h - text_width(measured->row_name)) / 2.0,
                              measured->name_h);
        if (measured->lowest[i])
            text_draw_line(
                text, page->cr, measured->col_name, TEXT_CENTRE,
                page_snap(page, cells.x + (cells.w - text_width(measured->col_name)) / 2.0),
                page_snap(page, y), measured->name_h);
    }
}

static void heatmap_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < m->maps->n_panels; i++)
        paint_title(m, page, at, i);
    if (m->row_name != NULL)
        heatmap_paint_names(m, page, at);
    for (int i = 0; i < m->n_bars; i++)
        colourbar_paint(&m->bar[i], page, &m->grid, m->maps->cmap,
                        grid_bar(&m->grid, at, m->place[i]));
}

static double number_px(const void *measured)
{
    return ((const struct measured *)measured)->number_px;
}

struct part heatmap_part(const struct heatmaps *maps)
{
    static const struct part_type type = { heatmap_scripts, heatmap_measure, heatmap_paint,
                                           heatmap_paint_text, blocks_print, number_px };

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

struct box heatmap_panel(const void *measured, struct box at, int i)
{
    return cells_of(measured, panel_box(measured, at, i));
}

double heatmap_bar_width(const struct heatmaps *maps, struct page *page)
{
    struct measured measured = { .maps = maps };
    struct grid_sizes sizes = { .units = page->units, .n_panels = 1, .columns = 1, .n_rows = 1,
                                .n_cols = 1, .one_bar = true, .narrow = true };
    struct grid with, without;

    measure_bars(&measured, page, &sizes);
    grid_make(&with, &sizes);
    sizes.value_h = 0.0;
    grid_make(&without, &sizes);
    return with.width - without.width;
}

void heatmap_boxes(const struct sheet *sheet, struct arena *a, struct box *panels,
                   double *width, double *height)
{
    const struct measured *measured;
    struct plan plan;
    struct page page;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    measured = plan.measured[0];
    for (int i = 0; i < measured->maps->n_panels; i++)
        panels[i] = panel_box(measured, plan.layout.part[0], i);
    *width = plan.layout.width;
    *height = plan.layout.height;
    page_finish(&page);
}
