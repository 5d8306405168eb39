/* SPDX-License-Identifier: MIT
 * Links as a part of a sheet: measures its texts, computes its boxes, paints lines, labels,
 * titles and the legend. */
#include "draw/figure/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/axis.h"
#include "draw/figure/legend.h"
#include "draw/figure/links_print.h"
#include "draw/figure/panels.h"
#include "draw/figure/stroke.h"
#include "draw/part.h"

static const double TURN = 6.283185307179586;  /* radians */

struct measured {
    const struct links_figure *figure;
    struct panels panels;
    struct axis rows, cols;     /* of arcs: rows alone, below */
    struct legend legend;
    const struct piece **title; /* [n_heads] of panels; NULL: none */
    const struct piece *row_name, *col_name;
    double step;                /* from one token to the next */
    double gap;                 /* from lines to labels */
    double title_h, name_h;     /* 0: none */
    double sample;              /* of a head's line before its title */
    double flat;                /* of arcs: their height for half their span */
};

static const struct style name_style = { 10.0, 1.0, 0.38, false, false, 0.0 };

/* Pixels at 100 dpi. */
enum { FONT = 11, GAP = 5, SAMPLE = 18, LABEL = 150, LEGEND = 320, TALL = 1400, SMALL = 900 };

static void links_scripts(const void *of, struct label_scripts *scripts)
{
    const struct links_figure *figure = of;

    label_scripts_add_list(scripts, &figure->rows);
    label_scripts_add_list(scripts, &figure->cols);
}

/* ---- measuring ---- */

static int n_panels(const struct links_figure *figure)
{
    return figure->panels ? figure->n_heads : 1;
}

static bool is_page(const struct page *page)
{
    return page->sheet->width_px > 0.0;
}

static double font_px(const struct page *page)
{
    return page->sheet->font_px > 0.0 ? page->sheet->font_px : FONT;
}

/* What the panel has of a page, with its labels; 0: as much as it takes. */
static double links_room_of(const struct links_figure *figure, const struct page *page)
{
    int columns = figure->columns < n_panels(figure) ? figure->columns : n_panels(figure);

    if (!is_page(page))
        return 0.0;
    return fmax(panels_room(page->units, layout_units(page->units, page->sheet->width_px),
                            columns), page->units.px);
}

static void measure_titles(struct measured *measured, struct page *page, double max_w)
{
    const struct links_figure *f = measured->figure;
    struct style style = text_heading;

    measured->title = arena_alloc(page->arena, (size_t)f->n_heads, sizeof *measured->title);
    if (!f->panels)
        return;
    measured->sample = f->n_heads <= STROKE_MOST ? layout_units(page->units,
                                                                SAMPLE) + measured->gap : 0.0;
    style.max_w = fmax(max_w - measured->sample, page->units.px);
    for (int i = 0; i < f->n_heads; i++) {
        if (f->title[i] == NULL)
            continue;
        measured->title[i] = text_line(&page->text, &style,
                                       label_clean(page->arena, f->title[i], strlen(f->title[i]),
                                                   3 * LABEL_CHARS));
        measured->title_h = layout_whole(page->units, 1.5 * text_line_height(&page->text, &style));
    }
}

/* The names of the two lists above them. */
static void links_measure_names(struct measured *measured, struct page *page)
{
    const struct links_figure *f = measured->figure;

    if (f->rows.n == 0 || f->arcs)
        return;
    measured->row_name = text_line(&page->text, &name_style, f->row_name);
    measured->col_name = text_line(&page->text, &name_style, f->col_name);
    measured->name_h = layout_whole(page->units, 1.5 * text_line_height(&page->text, &name_style));
}

static void measure_axis(struct axis *axis, struct page *page, const struct label_list *list,
                         int n, double step, double max_w, bool rotated)
{
    axis_measure(axis, page, list, list->n > 0 ? n : 0, 1, step, FONT, max_w, rotated);
}

/* From one token of a list to the next, in pixels at 100 dpi. */
static double list_step(const struct links_figure *figure, const struct page *page)
{
    int n = figure->n_rows > figure->n_cols ? figure->n_rows : figure->n_cols;
    double line = 1.1 * font_px(page), tall = figure->panels && !is_page(page) ? SMALL : TALL;

    return fmin((is_page(page) ? 1.25 : 1.5) * line, tall / n);
}

/* Two lists, and the field between them. */
static void measure_lists(struct measured *measured, struct page *page, struct panels_sizes *sizes)
{
    const struct links_figure *f = measured->figure;
    double px = page->units.px, room = links_room_of(f, page), most;

    measured->step = list_step(f, page) * px;
    sizes->field_h = (f->n_rows > f->n_cols ? f->n_rows : f->n_cols) * measured->step;
    most = room > 0.0 ? fmax(0.32 * room - measured->gap, px) : LABEL * px;
    measure_axis(&measured->rows, page, &f->rows, f->n_rows, measured->step, most, false);
    measure_axis(&measured->cols, page, &f->cols, f->n_cols, measured->step, most, false);
    links_measure_names(measured, page);
    sizes->left = fmax(measured->rows.labels.longest,
                       measured->row_name != NULL ? text_width(measured->row_name) : 0.0);
    sizes->right = fmax(measured->cols.labels.longest,
                        measured->col_name != NULL ? text_width(measured->col_name) : 0.0);
    sizes->left = layout_whole(page->units, sizes->left) + measured->gap;
    sizes->right = layout_whole(page->units, sizes->right) + measured->gap;
    if (room > 0.0)
        sizes->field_w = fmax(
            fmin(room - sizes->left - sizes->right, fmax(1.2 * sizes->field_h, 160.0 * px)), px);
    else
        sizes->field_w = fmin(fmax(0.5 * sizes->field_h, (f->panels ? 110.0 : 190.0) * px),
                              (f->panels ? 170.0 : 480.0) * px);
    measure_titles(measured, page, room > 0.0 ? room : sizes->left + sizes->field_w + sizes->right);
}

/* The farthest that a link reaches, in tokens. */
static int longest_span(const struct links_figure *figure)
{
    int longest = 0;

    for (int i = 0; i < figure->n; i++) {
        int span = abs(figure->line[i].query - figure->line[i].key);

        longest = span > longest ? span : longest;
    }
    return longest;
}

/* One list below its arcs. */
static void measure_arcs(struct measured *measured, struct page *page, struct panels_sizes *sizes)
{
    const struct links_figure *f = measured->figure;
    double px = page->units.px, room = links_room_of(f, page), reach, high;

    if (room > 0.0)
        measured->step = fmin(room / f->n_rows, 3.0 * font_px(page) * px);
    else
        measured->step = fmin(26.0, (f->panels ? SMALL : TALL) / (double)f->n_rows) * px;
    sizes->field_w = f->n_rows * measured->step;
    reach = longest_span(f) * measured->step / 2.0;
    high = fmin(fmax(0.38 * sizes->field_w, 40.0 * px), 240.0 * px);
    measured->flat = reach > high ? high / reach : 1.0;
    sizes->field_h = fmax(measured->flat * reach, 0.6 * measured->step) + 4.0 * px;
    measure_axis(&measured->rows, page, &f->rows, f->n_rows, measured->step, LABEL * px, true);
    sizes->below = layout_whole(page->units, measured->rows.labels.longest) + measured->gap;
    measure_titles(measured, page, sizes->field_w);
}

static void *links_measure(const void *of, struct page *page, struct box *size)
{
    const struct links_figure *f = of;
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    struct panels_sizes s = { .units = page->units, .n = n_panels(f), .columns = f->columns,
                              .narrow = is_page(page) };

    *m = (struct measured){ .figure = f, .gap = layout_units(page->units, GAP) };
    if (f->arcs)
        measure_arcs(m, page, &s);
    else
        measure_lists(m, page, &s);
    s.above = m->title_h + m->name_h;
    if (!f->panels)
        legend_measure(&m->legend, page, f->n_heads <= STROKE_MOST ? f->n_heads : 0, f->name,
                       is_page(page) ? links_room_of(f, page) :
                           fmax(s.left + s.field_w + s.right, LEGEND * page->units.px));
    s.legend_w = m->legend.width;
    s.legend_h = m->legend.height;
    panels_make(&m->panels, &s);
    *size = (struct box){ .w = m->panels.width, .h = m->panels.height };
    return m;
}

/* ---- lines ---- */

/* Lines of several heads stand beside each other: this far apart, in pixels at 100 dpi. */
static double strand(const struct measured *measured, const struct page *page)
{
    double step = measured->step / page->units.px;

    return measured->figure->panels ? 0.0 : fmin(3.2, 0.7 * step / measured->figure->n_heads);
}

/* The pen for a line, which leaves its neighbours room. */
static void set_stroke(const struct measured *measured, struct page *page,
                       const struct links_line *line)
{
    int n = measured->figure->n_heads;
    double room = measured->step / page->units.px;

    if (!measured->figure->panels && n > 1)
        room = fmin(room, 2.5 * fmax(strand(measured, page), 1.0));
    stroke_set(page, line->head, n, line->weight, room);
}

static void paint_line(const struct measured *measured, struct page *page, struct box field,
                       const struct links_line *line)
{
    double middle = field.x + field.w / 2.0;
    double off = (line->head - (measured->figure->n_heads - 1) / 2.0) * strand(measured, page) *
                 page->units.px;
    double from = field.y + (line->query + 0.5) * measured->step + off;
    double to = field.y + (line->key + 0.5) * measured->step + off;

    set_stroke(measured, page, line);
    cairo_move_to(page->cr, field.x, from);
    cairo_curve_to(page->cr, middle, from, middle, to, field.x + field.w, to);
    cairo_stroke(page->cr);
}

/* At the key's end. */
static void paint_dot(struct page *page, const struct links_line *line, double x, double y)
{
    cairo_arc(page->cr, x, y, (1.3 + 1.2 * line->weight) * page->units.px, 0.0, TURN);
    cairo_fill(page->cr);
}

/* Heads, and the two directions, are of different heights, so that none covers another. */
static double arc_height(const struct measured *measured, const struct links_line *line)
{
    const struct links_figure *f = measured->figure;
    double share = f->panels || f->n_heads == 1 ? 0.0 : line->head / (f->n_heads - 1.0);
    double reach = abs(line->query - line->key) * measured->step / 2.0;

    if (line->query == line->key)
        return 0.55 * measured->step * (1.0 - 0.3 * share);
    return measured->flat * reach * (1.0 - 0.12 * share) * (line->key > line->query ? 0.9 : 1.0);
}

/* A curve reaches 3/4 of its control points. */
static void paint_arc(const struct measured *measured, struct page *page, struct box field,
                      const struct links_line *line)
{
    double px = page->units.px, wide = line->query == line->key ? 0.3 * measured->step : 0.0;
    double from = field.x + (line->query + 0.5) * measured->step - wide;
    double to = field.x + (line->key + 0.5) * measured->step + wide;
    double base = field.y + field.h - 3.0 * px, top = base - arc_height(measured, line) / 0.75;

    set_stroke(measured, page, line);
    cairo_move_to(page->cr, from, base);
    cairo_curve_to(page->cr, from - wide / 2.0, top, to + wide / 2.0, top, to, base);
    cairo_stroke(page->cr);
    paint_dot(page, line, to, base);
}

/* ---- labels ---- */

static void paint_labels(const struct measured *measured, struct page *page,
                         const struct axis *axis, struct box field, bool left)
{
    double x = left ? field.x - measured->gap : field.x + field.w + measured->gap;

    for (int i = 0; i < axis->labels.n; i++) {
        const struct piece *piece = axis->labels.piece[i];
        double centre = field.y + page_label_middle(&axis->labels, i) * measured->step;

        text_draw_line(&page->text, page->cr, piece, left ? TEXT_RIGHT : TEXT_LEFT,
                       page_snap(page, left ? x - text_width(piece) : x),
                       page_snap(page, centre + text_middle(&page->text, &axis->style)),
                       axis->step * axis->cell);
    }
}

static void paint_below(const struct measured *measured, struct page *page, struct box field)
{
    cairo_set_source_rgb(page->cr, 0.75, 0.75, 0.75);
    cairo_rectangle(page->cr, field.x, field.y + field.h - 3.0 * page->units.px, field.w,
                    page->units.px / 2.0);
    cairo_fill(page->cr);
    for (int i = 0; i < measured->rows.labels.n; i++)
        axis_draw_below(&measured->rows, page, page->cr, i,
                        field.x + page_label_middle(&measured->rows.labels, i) * measured->step,
                        page_snap(page, field.y + field.h + measured->gap));
}

static void paint_panel(const struct measured *measured, struct page *page, struct box field,
                        int head)
{
    const struct links_figure *f = measured->figure;

    if (f->arcs) {
        paint_below(measured, page, field);
    } else {
        paint_labels(measured, page, &measured->rows, field, true);
        paint_labels(measured, page, &measured->cols, field, false);
    }
    for (int i = 0; i < f->n; i++)
        if (!f->panels || f->line[i].head == head)
            (f->arcs ? paint_arc : paint_line)(measured, page, field, &f->line[i]);
    cairo_set_dash(page->cr, NULL, 0, 0.0);
}

static void links_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < n_panels(m->figure); i++)
        paint_panel(m, page, panels_field(&m->panels, at, i), i);
    legend_paint(&m->legend, page, panels_legend(&m->panels, at));
}

/* ---- names ---- */

/* Centred above the panel, after a sample of the head's lines. */
static void paint_title(const struct measured *measured, struct page *page, struct box field,
                        int head)
{
    double w = measured->sample + text_width(measured->title[head]);
    double x = page_snap(page, field.x + (field.w - w) / 2.0);
    double y = field.y - measured->name_h - 0.65 * measured->title_h;

    if (measured->sample > 0.0)
        legend_sample(page, head, measured->figure->n_heads, x, y,
                      measured->sample - measured->gap);
    text_draw_line(&page->text, page->cr, measured->title[head], TEXT_LEFT, x + measured->sample,
                   page_snap(page, y + text_middle(&page->text, &text_heading)),
                   2.0 * measured->title_h);
}

static void links_paint_names(const struct measured *measured, struct page *page, struct box field)
{
    double y = page_snap(page, field.y - 0.55 * measured->name_h +
                                   text_middle(&page->text, &name_style));

    text_draw_line(&page->text, page->cr, measured->row_name, TEXT_RIGHT,
                   page_snap(page, field.x - measured->gap - text_width(measured->row_name)), y,
                   measured->name_h);
    text_draw_line(&page->text, page->cr, measured->col_name, TEXT_LEFT,
                   page_snap(page, field.x + field.w + measured->gap), y, measured->name_h);
}

static void links_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < n_panels(m->figure); i++) {
        struct box field = panels_field(&m->panels, at, i);

        if (m->title[i] != NULL)
            paint_title(m, page, field, i);
        if (m->row_name != NULL)
            links_paint_names(m, page, field);
    }
    legend_paint_text(&m->legend, page, panels_legend(&m->panels, at));
}

struct part links_part(const struct links_figure *figure)
{
    static const struct part_type type = { links_scripts, links_measure, links_paint,
                                           links_paint_text, links_print };

    return (struct part){ &type, figure };
}

/* ---- the plan ---- */

int links_plan_page(const struct links_figure *figure, double width_px, double font_px,
                    int *columns, double *least_px)
{
    static const struct units units = { 1.0, false };
    double least = (figure->rows.n > 0 ? 14.0 : 6.0) * font_px, width = width_px;

    if (*columns == 0)
        *columns = panels_columns(units, width_px, n_panels(figure), least);
    if (*columns > 0 && panels_room(units, width_px, *columns) >= least)
        return 0;
    *columns = *columns > 0 ? *columns : 1;
    while (panels_room(units, width, *columns) < least)
        width += 2.0;
    *least_px = width;
    return -1;
}
