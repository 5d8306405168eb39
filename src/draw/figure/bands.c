/* SPDX-License-Identifier: MIT
 * Bands as a part of a sheet: measures texts, places fields, paints rows. */
#include "draw/figure/bands.h"

#include <math.h>
#include <string.h>

#include "draw/figure/colourbar.h"
#include "draw/figure/numbers.h"
#include "draw/part.h"

/* Pixels at 100 dpi. */
enum { FIELD = 256, CELL = 12, GAP = 12, NARROW_GAP = 6, LABEL_GAP = 5, PADDING = 5, BAR_W = 10,
       BAR_LOW = 48, BAR_HIGH = 140, BAR_GAP = 22 };

/* Of a number in a band on a page of a given width: pixels of paper and of a PNG. */
static const double LEAST_CELL = 0.5;

static const struct style label_style = { 10.0, 1.0, 0.13, false, false, 0.0 };
static const struct style number_style = { 9.0, 0.9, 0.0, false, false, 0.0 };

struct field {
    double x, w, cell_w;        /* from the part's left end; of a column */
    const struct piece *title;
    const struct piece **number;        /* [n_rows] of one column; NULL: none */
    bool *black;                /* [n_rows] ink of the numbers */
    double bar_x;
    const struct piece *bar_title;
    struct colourbar bar;       /* where the field has one */
};

struct measured {
    const struct bands *bands;
    struct field *field;        /* [n_fields] */
    const struct piece **label; /* [n_rows] */
    const struct piece *lead_title, *lead_label;
    double gap, label_gap, label_w;
    double row_h, title_h, lead_y, rows_y;      /* of the lead, and of the first row */
    double bar_y, bar_h, right;
    struct grid grid;           /* widths of bars */
    double width, height;
    double spare;               /* what is left of a page; below 0: it is too narrow */
};

static void bands_scripts(const void *of, struct label_scripts *scripts)
{
    const struct bands *bands = of;

    label_scripts_add_list(scripts, &bands->rows);
}

/* ---- measuring ---- */

static const struct piece *bands_line_of(struct page *page, const struct style *style,
                                         const char *text, size_t n)
{
    return text_line(&page->text, style, label_clean(page->arena, text, n, LABEL_CHARS));
}

static struct scale_range range_of(const struct bands_field *field)
{
    return (struct scale_range){ field->low, field->high, true, false, false };
}

static int index_of(const struct bands_field *field, float value)
{
    return isnan(value) ? CELL_MASKED : scale_index(SCALE_LINEAR, value, field->low, field->high);
}

static void measure_labels(struct measured *measured, struct page *page)
{
    const struct bands *bands = measured->bands;

    measured->label = arena_alloc(page->arena, (size_t)bands->n_rows, sizeof *measured->label);
    for (int i = 0; i < bands->n_rows && i < bands->rows.n; i++) {
        measured->label[i] = bands_line_of(page, &label_style, bands->rows.text[i],
                                           label_size(&bands->rows, i));
        measured->label_w = fmax(measured->label_w, text_width(measured->label[i]));
    }
    if (bands->lead == NULL)
        return;
    measured->lead_title = bands_line_of(page, &text_heading, bands->lead_title,
                                         strlen(bands->lead_title));
    measured->lead_label = bands_line_of(page, &label_style, bands->lead_label,
                                         strlen(bands->lead_label));
    measured->label_w = fmax(measured->label_w, text_width(measured->lead_label));
}

/* Numbers of a field of one column; returns the widest. */
static double measure_numbers(struct field *field, const struct bands_field *of, int n,
                              struct page *page)
{
    double widest = 0.0;

    field->number = arena_alloc(page->arena, (size_t)n, sizeof *field->number);
    field->black = arena_alloc(page->arena, (size_t)n, sizeof *field->black);
    for (int i = 0; i < n; i++) {
        struct style style = number_style;
        char text[NUMBER_TEXT];

        numbers_text(text, of->value[i]);
        field->black[i] = isnan(of->value[i]) ||
                          numbers_are_black(cmap_colour(of->cmap, index_of(of, of->value[i])));
        style.gray = field->black[i] ? 0.0 : 1.0;
        field->number[i] = bands_line_of(page, &style, text, strlen(text));
        widest = fmax(widest, text_width(field->number[i]));
    }
    return widest;
}

/* The width of a column of bands: by what is left of the page, or at ease. */
static double bands_cell_of(const struct measured *measured, const struct page *page, double taken,
                            int n_cols)
{
    double px = page->units.px, page_w = page->sheet->width_px * px, cell;

    if (page_w <= 0.0) {
        cell = fmin(fmax(floor((double)FIELD / measured->bands->field[0].n_cols), 1.0), CELL);
        return layout_units(page->units, cell);
    }
    cell = (page_w - 2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN) - taken) / n_cols;
    if (!page->vector && cell >= 1.0)
        cell = floor(cell);
    return fmin(cell, layout_units(page->units, CELL));
}

/* Texts, and what they take; the columns of all bands. */
static double measure_fields(struct measured *measured, struct page *page, int *n_cols)
{
    const struct bands *bands = measured->bands;
    double taken = measured->label_w + measured->label_gap,
           padding = layout_units(page->units, PADDING);

    measured->field = arena_alloc(page->arena, (size_t)bands->n_fields, sizeof *measured->field);
    for (int i = 0; i < bands->n_fields; i++) {
        const struct bands_field *of = &bands->field[i];
        struct field *field = &measured->field[i];

        field->title = bands_line_of(page, &text_heading, of->title, strlen(of->title));
        taken += i > 0 ? measured->gap : 0.0;
        if (of->n_cols > 1) {
            *n_cols += of->n_cols;
            continue;
        }
        field->w = measure_numbers(field, of, bands->n_rows, page) + 2.0 * padding;
        field->w = layout_whole(page->units, fmax(field->w, text_width(field->title)));
        field->cell_w = field->w;
        taken += field->w;
    }
    return taken;
}

/* Returns what bars take beside the fields. */
static double measure_bars(struct measured *measured, struct page *page)
{
    double at = 0.0, px = page->units.px, room = measured->bands->n_rows * measured->row_h;

    measured->bar_h = layout_whole(page->units, fmin(fmax(room, BAR_LOW * px), BAR_HIGH * px));
    measured->grid = (struct grid){ .line = layout_units(page->units, 1),
                                    .bar_w = layout_units(page->units, BAR_W),
                                    .value_gap = layout_units(page->units, 4) };
    for (int i = 0; i < measured->bands->n_fields; i++) {
        const struct bands_field *of = &measured->bands->field[i];
        struct scale_range range = range_of(of);
        struct field *field = &measured->field[i];

        if (of->bar == NULL)
            continue;
        colourbar_measure(&field->bar, 1, page, SCALE_LINEAR, &range, measured->bar_h);
        field->bar_title = bands_line_of(page, &text_heading, of->bar, strlen(of->bar));
        at += at > 0.0 ? measured->gap : layout_units(page->units, page->sheet->width_px > 0.0 ?
                                                                       GAP : BAR_GAP);
        field->bar_x = at;
        at += layout_whole(page->units,
                           fmax(measured->grid.bar_w + measured->grid.line +
                                    measured->grid.value_gap + colourbar_width(&field->bar),
                                text_width(field->bar_title)));
    }
    return at;
}

static void place_fields(struct measured *measured, struct page *page, double cell)
{
    double x = layout_whole(page->units, measured->label_w + measured->label_gap);

    for (int i = 0; i < measured->bands->n_fields; i++) {
        struct field *field = &measured->field[i];
        double title_w = layout_whole(page->units, text_width(field->title));

        if (measured->bands->field[i].n_cols > 1) {
            field->cell_w = cell;
            field->w = cell * measured->bands->field[i].n_cols;
        }
        field->x = x;
        x += fmax(field->w, title_w) + (i < measured->bands->n_fields - 1 ? measured->gap : 0.0);
    }
    measured->right = x;
}

static void place_rows(struct measured *measured)
{
    double y = measured->title_h, bottom;

    if (measured->bands->lead != NULL) {
        measured->lead_y = y;
        y += measured->row_h + 1.25 * measured->title_h;
    }
    measured->rows_y = y;
    bottom = y + measured->bands->n_rows * measured->row_h;
    measured->bar_y = y;
    measured->height = fmax(bottom, measured->bar_y + measured->bar_h);
}

static void *bands_measure(const void *of, struct page *page, struct box *size)
{
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    bool narrow = page->sheet->width_px > 0.0;
    double taken, beside, cell;
    int n_cols = 0;

    *m = (struct measured){ .bands = of, .gap = layout_units(page->units,
                                                             narrow ? NARROW_GAP : GAP),
                            .label_gap = layout_units(page->units, LABEL_GAP) };
    m->row_h = layout_whole(page->units, 1.35 * text_line_height(&page->text, &label_style));
    m->title_h = layout_whole(page->units, 1.45 * text_line_height(&page->text, &text_heading));
    measure_labels(m, page);
    taken = measure_fields(m, page, &n_cols);
    beside = measure_bars(m, page);
    cell = bands_cell_of(m, page, taken + beside, n_cols > 0 ? n_cols : 1);
    m->spare = n_cols * (cell - LEAST_CELL * page->units.px);
    place_fields(m, page, fmax(cell, LEAST_CELL * page->units.px));
    place_rows(m);
    m->width = layout_whole(page->units, m->right + beside);
    m->height = layout_whole(page->units, m->height);
    *size = (struct box){ .w = m->width, .h = m->height };
    return m;
}

/* ---- places ---- */

/* Row i of a field; -1: the lead. */
static struct box row_box(const struct measured *measured, struct box at, int i, int field)
{
    double y = i < 0 ? measured->lead_y : measured->rows_y + i * measured->row_h;

    return (struct box){ at.x + measured->field[field].x, at.y + y, measured->field[field].w,
                         measured->row_h };
}

/* ---- ink ---- */

static void paint_band(const struct measured *measured, struct page *page, struct box at, int i,
                       int field, const float *value)
{
    const struct bands_field *of = &measured->bands->field[field];
    unsigned short *index = arena_alloc_raw(page->arena, (size_t)of->n_cols, sizeof *index);
    struct box row = row_box(measured, at, i, field);

    for (int c = 0; c < of->n_cols; c++)
        index[c] = (unsigned short)index_of(of, value[c]);
    row.h -= measured->grid.line;      /* a line of paper below each */
    page_cells(page, of->cmap, index, 1, of->n_cols, row);
}

static void bands_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct bands *bands = m->bands;

    if (bands->lead != NULL)
        paint_band(m, page, at, -1, 0, bands->lead);
    for (int f = 0; f < bands->n_fields; f++)
        for (int i = 0; i < bands->n_rows; i++)
            paint_band(m, page, at, i, f,
                       bands->field[f].value + (size_t)i * (size_t)bands->field[f].n_cols);
}

/* ---- text ---- */

static void bands_draw(const struct page *page, const struct piece *piece,
                       const struct style *style, enum text_hold hold, double x, double centre)
{
    text_draw_line(&page->text, page->cr, piece, hold, page_snap(page, x),
                   page_snap(page, centre + text_middle(&page->text, style)),
                   2.0 * text_line_height(&page->text, style));
}

static void paint_row(const struct measured *measured, struct page *page, struct box at, int i)
{
    struct box row = row_box(measured, at, i, 0);
    const struct piece *label = i < 0 ? measured->lead_label : measured->label[i];
    double centre = row.y + (measured->row_h - measured->grid.line) / 2.0;

    if (label != NULL)
        bands_draw(page, label, &label_style, TEXT_RIGHT,
                   row.x - measured->label_gap - text_width(label), centre);
    for (int f = 0; f < measured->bands->n_fields && i >= 0; f++) {
        const struct field *field = &measured->field[f];

        if (field->number != NULL)
            bands_draw(page, field->number[i], &number_style, TEXT_CENTRE,
                       at.x + field->x + (field->w - text_width(field->number[i])) / 2.0, centre);
    }
}

static void bands_paint_bar(const struct measured *measured, struct page *page, struct box at,
                            int f)
{
    const struct field *field = &measured->field[f];
    struct box bar = { at.x + measured->right + field->bar_x, at.y + measured->bar_y,
                       measured->grid.bar_w, measured->bar_h };

    if (field->bar_title == NULL)
        return;
    bands_draw(page, field->bar_title, &text_heading, TEXT_LEFT, bar.x,
               bar.y - measured->title_h / 2.0);
    colourbar_paint(&field->bar, page, &measured->grid, measured->bands->field[f].cmap, bar);
}

static void bands_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    double titles = at.y + m->rows_y - m->title_h / 2.0;

    if (m->lead_title != NULL)
        bands_draw(page, m->lead_title, &text_heading, TEXT_LEFT, at.x + m->field[0].x,
                   at.y + m->lead_y - m->title_h / 2.0);
    for (int f = 0; f < m->bands->n_fields; f++) {
        double w = text_width(m->field[f].title), inset = (m->field[f].w - w) / 2.0;

        bands_draw(page, m->field[f].title, &text_heading,
                   m->field[f].number != NULL ? TEXT_CENTRE : TEXT_LEFT,
                   at.x + m->field[f].x + (m->field[f].number != NULL ? fmax(inset, 0.0) : 0.0),
                   titles);
    }
    for (int i = m->bands->lead != NULL ? -1 : 0; i < m->bands->n_rows; i++)
        paint_row(m, page, at, i);
    for (int f = 0; f < m->bands->n_fields; f++)
        bands_paint_bar(m, page, at, f);
}

struct part bands_part(const struct bands *bands)
{
    static const struct part_type type = { bands_scripts, bands_measure, bands_paint,
                                           bands_paint_text, bands_print };

    return (struct part){ &type, bands };
}

double bands_least(const struct sheet *sheet, enum draw_format format, struct arena *a)
{
    const struct measured *m;
    struct plan plan;
    struct page page;
    double least = 0.0;

    page_init(&page, sheet, format, a);
    sheet_plan(&plan, &page);
    m = plan.measured[0];
    if (sheet->width_px > 0.0)
        least = sheet->width_px - m->spare / page.units.px;
    page_finish(&page);
    return least;
}

struct box bands_box(const struct sheet *sheet, struct arena *a, int i, int field)
{
    struct plan plan;
    struct page page;
    struct box box;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    box = row_box(plan.measured[0], plan.layout.part[0], i, field);
    page_finish(&page);
    return box;
}
