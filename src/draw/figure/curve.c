/* SPDX-License-Identifier: MIT
 * Lines as a part of a sheet: axes, ticks, intervals, a legend. */
#include "draw/figure/curve.h"

#include <math.h>
#include <string.h>

#include "draw/figure/grid.h"
#include "draw/figure/key.h"
#include "draw/part.h"
#include "draw/pen.h"
#include "draw/ticks.h"

/* Pixels at 100 dpi. */
enum { PLOT_H = 300, TICK = 4, GAP = 5, NAME_GAP = 4, LEGEND_GAP = 10,
       Y_TICKS = 38, X_TICKS = 60, LEAST_W = 40 };

enum { MARKED = 40 };           /* places; of fewer each number has a dot */

static const struct style tick_style = { 9.0, 1.0, 0.25, false, false, 0.0 };
static const struct style name_style = { 10.0, 1.0, 0.13, false, false, 0.0 };

struct tick {
    double at;                  /* from the plot's left end or bottom, in units */
    const struct piece *text;
};

struct measured {
    const struct curve *curve;
    struct curve_span span;
    struct box plot;            /* from the part's corner */
    double line, tick, gap;
    double beyond;              /* of the plot, for the last label */
    double lack;                /* of width, on a page too narrow for it */
    int n_x, n_y;
    struct tick *x;             /* [n_x] */
    struct tick y[MAX_TICKS];
    bool turned;                /* labels of x */
    const struct piece *x_name, *y_name;
    double name_h;              /* a line and its gap */
    double x_label_h;
    struct key legend;
    struct box legend_at;
};

static void curve_scripts(const void *of, struct label_scripts *scripts)
{
    const struct curve *curve = of;

    for (int i = 0; i < curve->n_lines; i++)
        label_scripts_add(scripts, curve->line[i].name, strlen(curve->line[i].name));
}

static double at_x(const struct measured *measured, double x)
{
    const struct curve *curve = measured->curve;
    double low = curve->x[0], high = curve->x[curve->n - 1];
    double inset = fmin(measured->plot.w / 20.0, 14.0 * measured->line);

    if (low == high)
        return measured->plot.w / 2.0;
    return inset + (x - low) / (high - low) * (measured->plot.w - 2.0 * inset);
}

static double at_y(const struct measured *measured, double y)
{
    return (y - measured->span.low) / (measured->span.high - measured->span.low) * measured->plot.h;
}

/* ---- measuring ---- */

static const struct piece *curve_line_of(struct page *page, const struct style *style,
                                         const char *text, int most)
{
    return text_line(&page->text, style,
                     label_clean(page->arena, text, strlen(text), most));
}

/* Round numbers from low to high, a gap apart, less where that leaves no three of them, but not so
 * near that they touch. */
static struct ticks make_ticks(double low, double high, double gap, double least, double length)
{
    const struct scale_range range = { (float)low, (float)high, true, false, false };

    return ticks_make(SCALE_LINEAR, range, fmin(gap, fmax(least, length / 3.0)) / length);
}

static const struct piece *tick_text(struct page *page, double value, int decimals)
{
    char text[TICK_TEXT];

    ticks_text(text, value, decimals);
    return curve_line_of(page, &tick_style, text, TICK_TEXT);
}

/* Returns the widest. */
static double measure_y(struct measured *measured, struct page *page)
{
    struct ticks ticks = make_ticks(
        measured->span.low, measured->span.high, layout_units(page->units, Y_TICKS),
        1.2 * text_line_height(&page->text, &tick_style), measured->plot.h);
    double widest = 0.0;

    for (int i = 0; i < ticks.n; i++) {
        if (ticks.value[i] < measured->span.low || ticks.value[i] > measured->span.high)
            continue;
        measured->y[measured->n_y].text = tick_text(page, ticks.value[i], ticks.decimals);
        measured->y[measured->n_y].at = at_y(measured, ticks.value[i]);
        widest = fmax(widest, text_width(measured->y[measured->n_y++].text));
    }
    return widest;
}

/* Of places: whole numbers, and only those that are there. */
static void measure_x_numbers(struct measured *measured, struct page *page)
{
    const struct curve *curve = measured->curve;
    double first = curve->x[0], last = curve->x[curve->n - 1];
    double widest = fmax(text_width(tick_text(page, first, 0)),
                         text_width(tick_text(page, last, 0)));
    struct ticks ticks = make_ticks(first, last, layout_units(page->units, X_TICKS),
                                    widest + 2.0 * measured->gap, measured->plot.w);

    measured->x = arena_alloc(page->arena, MAX_TICKS, sizeof *measured->x);
    if (ticks.n == 0)
        ticks = (struct ticks){ .n = 1, .value = { first } };
    for (int i = 0; i < ticks.n; i++)
        if (ticks.value[i] == floor(ticks.value[i]) && ticks.value[i] >= first &&
            ticks.value[i] <= last)
            measured->x[measured->n_x++] = (struct tick){ at_x(measured, ticks.value[i]),
                                                          tick_text(page, ticks.value[i], 0) };
}

/* Turned where they would touch; then every second, fourth, ... */
static void measure_x_names(struct measured *measured, struct page *page)
{
    const struct curve *curve = measured->curve;
    double step = curve->n > 1 ? at_x(measured, curve->x[1]) - at_x(measured, curve->x[0]) :
                  measured->plot.w;
    double line = text_line_height(&page->text, &tick_style), widest = 0.0;
    struct style style = tick_style;

    measured->x = arena_alloc(page->arena, (size_t)curve->n, sizeof *measured->x);
    for (int i = 0; i < curve->n; i++)
        widest = fmax(widest, text_width(curve_line_of(page, &style, curve->x_label[i],
                                                       2 * LABEL_CHARS)));
    measured->turned = widest + measured->gap > step;
    style.rotated = measured->turned;
    style.max_w = measured->turned ? measured->plot.h / 2.0 : measured->plot.w;
    for (int i = 0; i < curve->n; i += measured->turned ? grid_label_step(step, line) : 1)
        measured->x[measured->n_x++] = (struct tick){ at_x(measured, curve->x[i]),
                                                      curve_line_of(page, &style, curve->x_label[i],
                                                                    2 * LABEL_CHARS) };
    measured->x_label_h = measured->turned ? fmin(widest, style.max_w) : line;
}

static void curve_measure_names(struct measured *measured, struct page *page)
{
    struct style up = name_style;

    up.rotated = true;
    measured->x_name = curve_line_of(page, &name_style, measured->curve->x_name, 6 * LABEL_CHARS);
    measured->y_name = curve_line_of(page, &up, measured->curve->y_name, 6 * LABEL_CHARS);
    measured->name_h = layout_whole(page->units, text_line_height(&page->text, &name_style)) +
                       layout_units(page->units, NAME_GAP);
}

/* Left of the plot; its width is known when the numbers beside it are. */
static void measure_plot(struct measured *measured, struct page *page)
{
    double px = page->units.px, page_w = page->sheet->width_px * px, widest;
    double aspect = (double)PLOT_H / CURVE_PLOT_W;

    measured->plot = (struct box){ .w = layout_units(page->units, CURVE_PLOT_W),
                                   .h = layout_units(page->units, PLOT_H) };
    if (page_w > 0.0)
        measured->plot.h = layout_whole(
            page->units,
            fmax(aspect * page_w, measured->y_name != NULL ? text_width(measured->y_name) : 0.0));
    widest = measure_y(measured, page);
    measured->plot.x = measured->name_h + layout_whole(page->units, widest) + measured->tick +
                       measured->gap;
    measured->plot.y = layout_whole(page->units, text_line_height(&page->text, &tick_style) / 2.0);
    if (page_w > 0.0) {
        double least = layout_units(page->units, LEAST_W);

        measured->plot.w = floor(page_w - 2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN) -
                                 measured->plot.x - measured->beyond);
        measured->lack = fmax(least - measured->plot.w, 0.0);
        measured->plot.w = fmax(measured->plot.w, least);
    }
}

static void measure_legend(struct measured *measured, struct page *page)
{
    const struct curve *curve = measured->curve;
    struct key_entry *entry = arena_alloc(page->arena, (size_t)curve->n_lines, sizeof *entry);

    if (!curve_has_legend(curve) || curve->n_lines < 2)
        return;
    for (int i = 0; i < curve->n_lines; i++)
        entry[i] = (struct key_entry){ i, NULL, curve->line[i].name };
    key_measure(&measured->legend, page, KEY_LINE, entry, curve->n_lines, measured->plot.w);
}

static void *curve_measure(const void *of, struct page *page, struct box *size)
{
    const struct curve *curve = of;
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    double bottom;

    *m = (struct measured){ .curve = curve, .span = curve_span(curve),
                            .line = layout_units(page->units, 1),
                            .tick = layout_units(page->units, TICK),
                            .gap = layout_units(page->units, GAP),
                            .beyond = layout_units(page->units, X_TICKS / 3) };
    curve_measure_names(m, page);
    measure_plot(m, page);
    m->x_label_h = text_line_height(&page->text, &tick_style);
    if (curve->x_label != NULL)
        measure_x_names(m, page);
    else
        measure_x_numbers(m, page);
    measure_legend(m, page);
    bottom = m->plot.y + m->plot.h + m->line + m->tick + m->gap +
             layout_whole(page->units, m->x_label_h) + m->name_h;
    m->legend_at = (struct box){ .x = m->plot.x, .y = bottom };
    if (m->legend.n > 0)
        m->legend_at.y += layout_units(page->units, LEGEND_GAP);
    *size = (struct box){ .w = m->plot.x + fmax(m->plot.w + m->beyond, m->legend.width),
                          .h = m->legend_at.y + m->legend.height };
    return m;
}

/* ---- ink ---- */

/* Within the picture: the plot's left end and bottom. */
struct origin { double x, y; };

static struct origin origin_of(const struct measured *measured, struct box at)
{
    return (struct origin){ at.x + measured->plot.x, at.y + measured->plot.y + measured->plot.h };
}

static void fill_box(struct page *page, double gray, struct box at)
{
    cairo_set_source_rgb(page->cr, gray, gray, gray);
    cairo_rectangle(page->cr, at.x, at.y, at.w, at.h);
    cairo_fill(page->cr);
}

static void paint_axes(const struct measured *measured, struct page *page, struct origin o)
{
    double half = measured->line / 2.0;

    for (int i = 0; i < measured->n_y; i++) {
        double y = page_snap(page, o.y - measured->y[i].at - half);

        fill_box(page, 0.90, (struct box){ o.x, y, measured->plot.w, measured->line });
        fill_box(page, 0.50, (struct box){ o.x - measured->tick, y, measured->tick,
                                           measured->line });
    }
    for (int i = 0; i < measured->n_x; i++)
        fill_box(page, 0.50, (struct box){ page_snap(page, o.x + measured->x[i].at - half), o.y,
                                           measured->line, measured->line + measured->tick });
    fill_box(page, 0.50, (struct box){ o.x - measured->line, o.y - measured->plot.h, measured->line,
                                       measured->plot.h + measured->line });
    fill_box(page, 0.50, (struct box){ o.x - measured->line, o.y, measured->plot.w + measured->line,
                                       measured->line });
}

static int pen_of(const struct curve *curve, int i)
{
    return curve_has_legend(curve) ? i : PEN_INK;
}

/* Places first .. end - 1 have an interval. */
static void paint_band(const struct measured *measured, struct page *page, struct origin o,
                       const struct curve_line *line, int first, int end)
{
    const double *x = measured->curve->x;

    for (int k = first; k < end; k++)
        cairo_line_to(page->cr, o.x + at_x(measured, x[k]), o.y - at_y(measured, line->high[k]));
    for (int k = end - 1; k >= first; k--)
        cairo_line_to(page->cr, o.x + at_x(measured, x[k]), o.y - at_y(measured, line->low[k]));
    cairo_close_path(page->cr);
    cairo_fill(page->cr);
}

/* Of a place alone: a bar. */
static void curve_paint_bar(const struct measured *measured, struct page *page, struct origin o,
                            const struct curve_line *line, int k)
{
    double x = o.x + at_x(measured, measured->curve->x[k]), w = 1.2 * measured->line;

    cairo_rectangle(page->cr, x - w / 2.0, o.y - at_y(measured, line->high[k]), w,
                    at_y(measured, line->high[k]) - at_y(measured, line->low[k]));
    cairo_fill(page->cr);
}

static void paint_interval(const struct measured *measured, struct page *page, struct origin o,
                           int i)
{
    const struct curve_line *line = &measured->curve->line[i];
    bool alone;

    for (int k = 0, end; k < measured->curve->n; k = end + 1) {
        for (end = k; end < measured->curve->n && !isnan(line->low[end]); end++)
            ;
        alone = end == k + 1;
        pen_fill(page->cr, pen_of(measured->curve, i), alone ? 0.6 : 0.16);
        if (alone)
            curve_paint_bar(measured, page, o, line, k);
        else if (end > k)
            paint_band(measured, page, o, line, k, end);
    }
}

static void paint_line(const struct measured *measured, struct page *page, struct origin o, int i)
{
    const struct curve *curve = measured->curve;
    const struct curve_line *line = &curve->line[i];
    double px = page->units.px;
    bool many = !curve_has_legend(curve), drawn = false;

    pen_set(page->cr, pen_of(curve, i), (many ? 0.8 : 1.8) * px, px);
    cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_ROUND);
    for (int k = 0; k < curve->n; k++) {
        if (isnan(line->y[k])) {
            drawn = false;
            continue;
        }
        (drawn ? cairo_line_to : cairo_move_to)(page->cr, o.x + at_x(measured, curve->x[k]),
                                                o.y - at_y(measured, line->y[k]));
        drawn = true;
    }
    cairo_stroke(page->cr);
    cairo_set_dash(page->cr, NULL, 0, 0.0);
}

/* Of few places each number; of many those without a neighbour, of which no line is seen. */
static void paint_marks(const struct measured *measured, struct page *page, struct origin o, int i)
{
    const struct curve *curve = measured->curve;
    const double *y = curve->line[i].y;

    for (int k = 0; k < curve->n; k++) {
        bool alone = (k == 0 || isnan(y[k - 1])) && (k + 1 == curve->n || isnan(y[k + 1]));

        if (isnan(y[k]) || (!alone && (curve->n > MARKED || !curve_has_legend(curve))))
            continue;
        pen_fill(page->cr, pen_of(curve, i), 1.0);
        key_circle(page, o.x + at_x(measured, curve->x[k]), o.y - at_y(measured, y[k]),
                   2.4 * page->units.px);
        cairo_fill(page->cr);
    }
}

static void curve_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    struct origin o = origin_of(m, at);
    struct box legend = { at.x + m->legend_at.x, at.y + m->legend_at.y, 0.0, 0.0 };

    paint_axes(m, page, o);
    for (int i = 0; i < m->curve->n_dots; i++) {
        pen_fill(page->cr, PEN_INK, 0.35);
        key_circle(page, o.x + at_x(m, m->curve->dot[i].x), o.y - at_y(m, m->curve->dot[i].y),
                   1.8 * page->units.px);
        cairo_fill(page->cr);
    }
    cairo_save(page->cr);
    cairo_rectangle(page->cr, o.x, o.y - m->plot.h, m->plot.w, m->plot.h);
    cairo_clip(page->cr);
    for (int i = 0; i < m->curve->n_lines; i++)
        paint_interval(m, page, o, i);
    cairo_restore(page->cr);
    for (int i = 0; i < m->curve->n_lines; i++) {
        paint_line(m, page, o, i);
        paint_marks(m, page, o, i);
    }
    key_paint(&m->legend, page, legend);
}

static void paint_ticks(const struct measured *measured, struct page *page, struct origin o)
{
    const struct text *text = &page->text;
    double middle = text_middle(text, &tick_style), line = text_line_height(text, &tick_style);
    double below = o.y + measured->line + measured->tick + measured->gap;

    for (int i = 0; i < measured->n_y; i++)
        text_draw_line(
            text, page->cr, measured->y[i].text, TEXT_RIGHT,
            page_snap(page, o.x - measured->tick - measured->gap - text_width(measured->y[i].text)),
            page_snap(page, o.y - measured->y[i].at + middle), 2.0 * line);
    for (int i = 0; i < measured->n_x; i++) {
        double x = o.x + measured->x[i].at, w = text_width(measured->x[i].text);

        if (measured->turned)
            text_draw_rotated(text, page->cr, measured->x[i].text, TEXT_RIGHT,
                              page_snap(page, x + middle), below, 2.0 * line);
        else
            text_draw_line(
                text, page->cr, measured->x[i].text, TEXT_CENTRE,
                page_snap(page, fmin(x - w / 2.0, o.x + measured->plot.w + measured->beyond - w)),
                page_snap(page, below + line / 2.0 + middle), 2.0 * line);
    }
}

static void curve_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct text *text = &page->text;
    struct origin o = origin_of(m, at);
    struct box legend = { at.x + m->legend_at.x, at.y + m->legend_at.y, 0.0, 0.0 };
    double middle = text_middle(text, &name_style);

    paint_ticks(m, page, o);
    if (m->x_name != NULL) {
        double y = o.y + m->line + m->tick + m->gap + m->x_label_h + m->name_h / 2.0;

        text_draw_line(text, page->cr, m->x_name, TEXT_CENTRE,
                       page_snap(page, o.x + (m->plot.w - text_width(m->x_name)) / 2.0),
                       page_snap(page, y + middle), m->name_h);
        text_draw_rotated(text, page->cr, m->y_name, TEXT_CENTRE,
                          page_snap(page, at.x + m->name_h / 2.0 + middle),
                          o.y - (m->plot.h + text_width(m->y_name)) / 2.0, m->name_h);
    }
    key_paint_text(&m->legend, page, legend);
}

struct part curve_part(const struct curve *curve)
{
    static const struct part_type type = { curve_scripts, curve_measure, curve_paint,
                                           curve_paint_text, curve_print };

    return (struct part){ &type, curve };
}

double curve_lacks_px(const struct sheet *sheet, struct arena *a)
{
    struct plan plan;
    struct page page;
    double lack;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    lack = ((const struct measured *)plan.measured[0])->lack / page.units.px;
    page_finish(&page);
    return lack;
}

struct box curve_point(const struct sheet *sheet, struct arena *a, int i, double y)
{
    const struct measured *m;
    struct plan plan;
    struct page page;
    struct origin o;
    struct box at;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    m = plan.measured[0];
    o = origin_of(m, plan.layout.part[0]);
    at = (struct box){ o.x + at_x(m, m->curve->x[i]), o.y - at_y(m, y), 0.0, 0.0 };
    page_finish(&page);
    return at;
}
