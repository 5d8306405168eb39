/* SPDX-License-Identifier: MIT
 * A scatter plot as a part of a sheet: its scale, the placing of names, the drawing. */
#include "draw/figure/scatter.h"

#include <math.h>
#include <string.h>

#include "draw/figure/colourbar.h"
#include "draw/figure/key.h"
#include "draw/figure/scatter_place.h"
#include "draw/part.h"
#include "draw/ticks.h"

/* Pixels at 100 dpi: sides by the number of points, a point, gaps. */
enum { SIDE = 460, SIDE_OF_MANY = 720, SIDE_OF_MOST = 1000, MANY = 60, MOST = 300, INSET = 30,
       GAP = 8, BAR = 10, BAR_GAP = 12, VALUE_GAP = 4, BAR_H = 240 };
static const double RADIUS = 3.6;

static const struct style name_style = { 8.5, 0.85, 0.13, false, false, 0.0 };
static const struct style unit_style = { 9.0, 1.0, 0.30, false, false, 0.0 };

struct measured {
    const struct scatter *scatter;
    double side, line;
    struct scatter_spot *spot;  /* [n] from the frame's corner */
    struct box *label;          /* [n] the same */
    const struct piece **name;  /* [n]; NULL: none */
    struct scale_range range;   /* of the shades */
    struct colourbar bar;
    const struct piece *bar_name;
    bool has_bar;
    double ruler;               /* its length; 0: none */
    const struct piece *ruler_text;
    struct key key;
    double below;               /* a line of text and a gap */
    double beside;              /* of the bar and its numbers */
};

static void scatter_scripts(const void *of, struct label_scripts *scripts)
{
    const struct scatter *scatter = of;

    for (int i = 0; i < scatter->n; i++)
        label_scripts_add(scripts, scatter->point[i].name, strlen(scatter->point[i].name));
}

/* ---- measuring ---- */

static const struct piece *scatter_line_of(struct page *page, const struct style *style,
                                           const char *text)
{
    return text_line(&page->text, style,
                     label_clean(page->arena, text, strlen(text), 4 * LABEL_CHARS));
}

static void scatter_measure_bar(struct measured *measured, struct page *page)
{
    const struct scatter *scatter = measured->scatter;

    measured->has_bar = scatter->n_kinds == 0 && scatter->shade != NULL && !scatter->no_bar;
    for (int i = 0; i < scatter->n && scatter->shade != NULL; i++)
        scale_widen(&measured->range, scatter->shade[i]);
    if (!measured->has_bar)
        return;
    colourbar_measure(&measured->bar, 1, page, SCALE_LINEAR, &measured->range,
                      layout_units(page->units, BAR_H));
    measured->bar_name = scatter_line_of(page, &unit_style, scatter->shade_name);
    measured->beside = layout_units(page->units, BAR_GAP) +
                       fmax(layout_units(page->units, BAR) + layout_units(page->units, VALUE_GAP) +
                            layout_whole(page->units, colourbar_width(&measured->bar)),
                            layout_whole(page->units, text_width(measured->bar_name)));
}

static double scatter_side_of(const struct measured *measured, const struct page *page)
{
    int n = measured->scatter->n;
    double width = page->sheet->width_px;

    if (width > 0.0)
        return fmax(floor(layout_units(page->units, width) - measured->beside -
                          2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN) -
                          2.0 * measured->line), 40.0 * page->units.px);
    return layout_units(page->units, n > MOST ? SIDE_OF_MOST : n > MANY ? SIDE_OF_MANY : SIDE);
}

/* Points within the frame, both axes to one scale. */
static void place_points(struct measured *measured, const struct page *page)
{
    const struct scatter_point *point = measured->scatter->point;
    int n = measured->scatter->n;
    double lo[2] = { point->x, point->y }, hi[2] = { point->x, point->y }, reach, scale;
    double inset = fmin(layout_units(page->units, INSET), measured->side / 8.0);

    for (int i = 1; i < n; i++) {
        lo[0] = fmin(lo[0], point[i].x);
        hi[0] = fmax(hi[0], point[i].x);
        lo[1] = fmin(lo[1], point[i].y);
        hi[1] = fmax(hi[1], point[i].y);
    }
    reach = fmax(hi[0] - lo[0], hi[1] - lo[1]);
    scale = reach > 0.0 ? (measured->side - 2.0 * inset) / reach : 0.0;
    for (int i = 0; i < n; i++)
        measured->spot[i] = (struct scatter_spot){
            .x = measured->side / 2.0 + (point[i].x - (lo[0] + hi[0]) / 2.0) * scale,
            .y = measured->side / 2.0 - (point[i].y - (lo[1] + hi[1]) / 2.0) * scale,
            .r = RADIUS * page->units.px,
        };
    measured->ruler = scale;
}

static void place_names(struct measured *measured, struct page *page)
{
    const struct scatter *scatter = measured->scatter;
    double line = text_line_height(&page->text, &name_style);

    for (int i = 0; i < scatter->n && !scatter->no_names; i++) {
        measured->name[i] = scatter_line_of(page, &name_style, scatter->point[i].name);
        measured->spot[i].w = text_width(measured->name[i]);
        measured->spot[i].h = 0.9 * line;
    }
    if (!scatter->no_names)
        scatter_place(measured->label, measured->spot, scatter->n,
                      (struct box){ 0.0, 0.0, measured->side, measured->side });
}

/* The largest round length of at most a third of the frame; measured->ruler is the scale so far. */
static void measure_ruler(struct measured *measured, struct page *page)
{
    static const int steps[] = { 5, 2, 1 };
    double scale = measured->ruler, most = measured->side / 3.0, unit = 1e3;
    char number[TICK_TEXT];

    measured->ruler = 0.0;
    if (!(scale > 0.0))
        return;
    for (int decimals = 0; unit > 1e-9; unit /= 10.0, decimals += unit < 1.0)
        for (int i = 0; i < 3; i++)
            if (steps[i] * unit * scale <= most) {
                measured->ruler = steps[i] * unit * scale;
                ticks_text(number, steps[i] * unit, decimals);
                measured->ruler_text = scatter_line_of(page, &unit_style,
                                                       arena_printf(page->arena, "%s %s", number,
                                                                    measured->scatter->unit));
                return;
            }
}

static void measure_key(struct measured *measured, struct page *page, double width)
{
    const struct scatter *scatter = measured->scatter;
    struct key_entry *entry = arena_alloc(page->arena, (size_t)scatter->n_kinds + 1,
                                          sizeof *entry);

    for (int i = 0; i < scatter->n_kinds; i++)
        entry[i] = (struct key_entry){ i, NULL, scatter->kind[i] };
    key_measure(&measured->key, page, KEY_DOT, entry, scatter->n_kinds, width);
}

static void *scatter_measure(const void *of, struct page *page, struct box *size)
{
    const struct scatter *scatter = of;
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    size_t count = (size_t)scatter->n;

    *m = (struct measured){ .scatter = scatter, .line = layout_units(page->units, 1) };
    m->spot = arena_alloc(page->arena, count, sizeof *m->spot);
    m->label = arena_alloc(page->arena, count, sizeof *m->label);
    m->name = arena_alloc(page->arena, count, sizeof *m->name);
    m->below = layout_whole(page->units, text_line_height(&page->text, &unit_style)) +
               layout_units(page->units, GAP);
    scatter_measure_bar(m, page);
    m->side = scatter_side_of(m, page);
    place_points(m, page);
    place_names(m, page);
    measure_ruler(m, page);
    measure_key(m, page, m->side);
    *size = (struct box){ .w = m->side + 2.0 * m->line + m->beside,
                          .h = m->side + 2.0 * m->line + m->below + m->key.height };
    return m;
}

/* ---- ink ---- */

static struct box frame_of(const struct measured *measured, struct box at)
{
    return (struct box){ at.x + measured->line, at.y + measured->line, measured->side,
                         measured->side };
}

/* From a point to a name that stands away from it. */
static void paint_leader(const struct measured *measured, struct page *page, struct box frame,
                         int i)
{
    const struct scatter_spot *spot = &measured->spot[i];
    struct box label = measured->label[i];
    double x = fmin(fmax(spot->x, label.x), label.x + label.w);
    double y = fmin(fmax(spot->y, label.y), label.y + label.h);
    double away = fmax(fabs(x - spot->x), fabs(y - spot->y));

    if (label.w <= 0.0 || away < spot->r + 0.5 * spot->h)
        return;
    cairo_set_source_rgb(page->cr, 0.65, 0.65, 0.65);
    cairo_set_line_width(page->cr, 0.7 * page->units.px);
    cairo_move_to(page->cr, frame.x + spot->x, frame.y + spot->y);
    cairo_line_to(page->cr, frame.x + x, frame.y + y);
    cairo_stroke(page->cr);
}

static void paint_point(const struct measured *measured, struct page *page, struct box frame, int i)
{
    const struct scatter *scatter = measured->scatter;
    const struct scatter_spot *spot = &measured->spot[i];
    double x = frame.x + spot->x, y = frame.y + spot->y;
    const unsigned char *rgb;

    if (scatter->n_kinds > 0 || scatter->shade == NULL) {
        key_dot(page, scatter->point[i].kind, x, y, spot->r);
        return;
    }
    rgb = cmap_colour(scatter->cmap, scale_index(SCALE_LINEAR, scatter->shade[i],
                                                 measured->range.lo, measured->range.hi));
    key_circle(page, x, y, spot->r);
    cairo_set_source_rgb(page->cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
    cairo_fill_preserve(page->cr);
    cairo_set_source_rgb(page->cr, 0.5, 0.5, 0.5);
    cairo_set_line_width(page->cr, 0.5 * page->units.px);
    cairo_stroke(page->cr);
}

static void paint_ruler(const struct measured *measured, struct page *page, struct box frame)
{
    double y = page_snap(page, frame.y + measured->side + measured->below / 2.0);

    if (measured->ruler <= 0.0)
        return;
    cairo_set_source_rgb(page->cr, 0.3, 0.3, 0.3);
    cairo_rectangle(page->cr, frame.x, y, measured->ruler,
                    fmax(measured->line, 1.4 * page->units.px));
    cairo_fill(page->cr);
}

static void scatter_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    struct box frame = frame_of(m, at);

    page_frame(page, frame, m->line);
    cairo_set_source_rgb(page->cr, 1.0, 1.0, 1.0);
    cairo_rectangle(page->cr, frame.x, frame.y, frame.w, frame.h);
    cairo_fill(page->cr);
    for (int i = 0; i < m->scatter->n; i++)
        paint_leader(m, page, frame, i);
    for (int i = 0; i < m->scatter->n; i++)
        paint_point(m, page, frame, i);
    paint_ruler(m, page, frame);
    key_paint(&m->key, page, (struct box){ frame.x, frame.y + m->side + m->below, 0.0, 0.0 });
}

static void scatter_paint_bar(const struct measured *measured, struct page *page, struct box frame)
{
    const struct grid widths = {
        .line = measured->line, .bar_w = layout_units(page->units, BAR),
        .value_gap = layout_units(page->units, VALUE_GAP)
    };
    double x = frame.x + measured->side + measured->line + layout_units(page->units, BAR_GAP);
    double name_h = measured->below, most = layout_units(page->units, BAR_H);

    text_draw_line(&page->text, page->cr, measured->bar_name, TEXT_LEFT, page_snap(page, x),
                   page_snap(page, frame.y + name_h / 2.0), 2.0 * name_h);
    colourbar_paint(&measured->bar, page, &widths, measured->scatter->cmap,
                    (struct box){ x, frame.y + name_h, widths.bar_w,
                                  floor(fmin(most, measured->side - name_h)) });
}

static void scatter_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct text *text = &page->text;
    struct box frame = frame_of(m, at);

    for (int i = 0; i < m->scatter->n; i++)
        if (m->label[i].w > 0.0)
            text_draw_line(text, page->cr, m->name[i], TEXT_LEFT,
                           page_snap(page, frame.x + m->label[i].x),
                           page_snap(page, frame.y + m->label[i].y + m->label[i].h / 2.0 +
                                           text_middle(text, &name_style)),
                           2.0 * m->label[i].h);
    if (m->ruler > 0.0)
        text_draw_line(text, page->cr, m->ruler_text, TEXT_LEFT,
                       page_snap(page, frame.x + m->ruler + layout_units(page->units, GAP)),
                       page_snap(page, frame.y + m->side + m->below / 2.0 +
                                       text_middle(text, &unit_style)), 2.0 * m->below);
    if (m->has_bar)
        scatter_paint_bar(m, page, frame);
    key_paint_text(&m->key, page, (struct box){ frame.x, frame.y + m->side + m->below, 0.0, 0.0 });
}

struct part scatter_part(const struct scatter *scatter)
{
    static const struct part_type type = { scatter_scripts, scatter_measure, scatter_paint,
                                           scatter_paint_text, scatter_print };

    return (struct part){ &type, scatter };
}

void scatter_boxes(const struct sheet *sheet, struct arena *a, struct box *point,
                   struct box *name)
{
    const struct measured *m;
    struct plan plan;
    struct page page;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    m = plan.measured[0];
    for (int i = 0; i < m->scatter->n; i++) {
        struct box frame = frame_of(m, plan.layout.part[0]);
        const struct scatter_spot *spot = &m->spot[i];

        point[i] = (struct box){ frame.x + spot->x - spot->r, frame.y + spot->y - spot->r,
                                 2.0 * spot->r, 2.0 * spot->r };
        name[i] = m->label[i];
        name[i].x += frame.x;
        name[i].y += frame.y;
    }
    page_finish(&page);
}
