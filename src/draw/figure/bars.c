/* SPDX-License-Identifier: MIT
 * Bars as a part of a sheet: names, lengths, values. */
#include "draw/figure/bars.h"

#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/part.h"
#include "draw/pen.h"

/* Pixels at 100 dpi. */
enum { BAR_W = 360, LEAST_W = 40, BAR_H = 14, STEP_GAP = 7, GAP = 8 };

static const struct style name_style = { 9.5, 1.0, 0.13, false, false, 0.0 };
static const struct style value_style = { 9.0, 1.0, 0.30, false, false, 0.0 };

struct measured {
    const struct bars *bars;
    const struct piece **name, **value;     /* [n] */
    double name_w, value_w;     /* the widest, with the gap to the bar; 0: none */
    double bar_w, bar_h, step;
    double longest;             /* length that fills bar_w */
};

static void bars_scripts(const void *of, struct label_scripts *scripts)
{
    const struct bars *bars = of;

    for (int i = 0; i < bars->n; i++)
        label_scripts_add(scripts, bars->bar[i].name, strlen(bars->bar[i].name));
}

static double longest(const struct bars *bars)
{
    double most = 0.0;

    for (int i = 0; i < bars->n; i++)
        most = fmax(most, bars->bar[i].length);
    return most;
}

/* ---- measuring ---- */

static const struct piece *bars_line_of(struct page *page, const struct style *style,
                                        const char *text)
{
    return text_line(&page->text, style,
                     label_clean(page->arena, text, strlen(text), 4 * LABEL_CHARS));
}

static void measure_labels(struct measured *measured, struct page *page)
{
    double gap = layout_units(page->units, GAP), name_w = 0.0, value_w = 0.0;

    for (int i = 0; i < measured->bars->n; i++) {
        measured->name[i] = bars_line_of(page, &name_style, measured->bars->bar[i].name);
        measured->value[i] = bars_line_of(page, &value_style, measured->bars->bar[i].value);
        name_w = fmax(name_w, text_width(measured->name[i]));
        value_w = fmax(value_w, text_width(measured->value[i]));
    }
    measured->name_w = layout_whole(page->units, name_w) + gap;
    measured->value_w = gap + layout_whole(page->units, value_w);
}

static void *bars_measure(const void *of, struct page *page, struct box *size)
{
    const struct bars *bars = of;
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    double page_w = page->sheet->width_px;

    *m = (struct measured){
        .bars = bars, .longest = longest(bars), .bar_h = layout_units(page->units, BAR_H),
        .bar_w = layout_units(page->units, BAR_W),
        .name = arena_alloc(page->arena, (size_t)bars->n, sizeof *m->name),
        .value = arena_alloc(page->arena, (size_t)bars->n, sizeof *m->value),
    };
    if (!bars->no_labels)
        measure_labels(m, page);
    if (page_w > 0.0)
        m->bar_w = fmax(floor(layout_units(page->units, page_w) - m->name_w - m->value_w -
                              2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN)),
                        layout_units(page->units, LEAST_W));
    m->step = layout_whole(page->units,
                           fmax(m->bar_h, bars->no_labels ? 0.0 :
                                text_line_height(&page->text, &name_style))) +
              layout_units(page->units, STEP_GAP);
    *size = (struct box){ .w = m->name_w + m->bar_w + m->value_w, .h = m->step * bars->n };
    return m;
}

/* ---- ink ---- */

static struct box box_of(const struct measured *measured, struct box at, int i)
{
    double w = measured->longest > 0.0 ?
                   measured->bar_w * measured->bars->bar[i].length / measured->longest :
                   0.0;

    return (struct box){ at.x + measured->name_w,
                         at.y + measured->step * i + (measured->step - measured->bar_h) / 2.0, w,
                         measured->bar_h };
}

static void bars_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < m->bars->n; i++) {
        const struct bar *bar = &m->bars->bar[i];
        struct box box = box_of(m, at, i);
        double y = page_snap(page, box.y);

        pen_fill(page->cr, 0, 0.35);
        cairo_rectangle(page->cr, box.x, y, box.w, box.h);
        cairo_fill(page->cr);
        if (bar->inner <= 0.0)
            continue;
        pen_fill(page->cr, 0, 1.0);
        cairo_rectangle(page->cr, box.x, y, box.w * fmin(bar->inner / bar->length, 1.0), box.h);
        cairo_fill(page->cr);
    }
}

static void bars_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    const struct text *text = &page->text;
    double gap = layout_units(page->units, GAP);

    for (int i = 0; i < m->bars->n && !m->bars->no_labels; i++) {
        struct box box = box_of(m, at, i);
        double middle = box.y + box.h / 2.0;

        text_draw_line(text, page->cr, m->name[i], TEXT_RIGHT,
                       page_snap(page, box.x - gap - text_width(m->name[i])),
                       page_snap(page, middle + text_middle(text, &name_style)), m->step);
        text_draw_line(text, page->cr, m->value[i], TEXT_LEFT,
                       page_snap(page, box.x + box.w + gap),
                       page_snap(page, middle + text_middle(text, &value_style)), m->step);
    }
}

struct part bars_part(const struct bars *bars)
{
    static const struct part_type type = { bars_scripts, bars_measure, bars_paint, bars_paint_text,
                                           bars_print };

    return (struct part){ &type, bars };
}

struct box bars_box(const struct sheet *sheet, struct arena *a, int i)
{
    struct plan plan;
    struct page page;
    struct box box;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    box = box_of(plan.measured[0], plan.layout.part[0], i);
    page_finish(&page);
    return box;
}

/* ---- on a terminal ---- */

/* Columns of the widest of the names, or values. */
static int bars_widest(const struct bars *bars, struct arena *a, bool values)
{
    int most = 0;

    for (int i = 0; i < bars->n; i++) {
        const char *text = values ? bars->bar[i].value : bars->bar[i].name;
        int columns = canvas_width(label_clean(a, text, strlen(text), 4 * LABEL_CHARS));

        most = columns > most ? columns : most;
    }
    return most;
}

static void print_bar(const struct bar *bar, struct canvas *canvas, int row, int column,
                      double columns_per_length)
{
    const unsigned char *rgb = pen_colour(0);
    int ink = rgb[0] << 16 | rgb[1] << 8 | rgb[2];
    int whole = (int)lround(bar->length * columns_per_length);
    int dark = (int)lround(fmin(bar->inner, bar->length) * columns_per_length);

    for (int i = 0; i < whole && column + i < canvas->n_columns; i++)
        *canvas_at(canvas, row, column + i) =
            (struct glyph){ i < dark ? "█" : "░", ink, CANVAS_PLAIN, false };
}

void bars_print(const void *of, struct canvas *canvas)
{
    const struct bars *bars = of;
    int names = bars->no_labels ? 0 : bars_widest(bars, canvas->arena, false) + 1;
    int values = bars->no_labels ? 0 : bars_widest(bars, canvas->arena, true) + 1;
    int room = canvas->n_columns - names - values, top = canvas->n_rows;
    double most = longest(bars), scale = room > 0 && most > 0.0 ? room / most : 0.0;

    for (int i = 0; i < bars->n; i++) {
        const struct bar *bar = &bars->bar[i];
        const char *name = label_clean(canvas->arena, bar->name, strlen(bar->name),
                                       4 * LABEL_CHARS);
        int after = names + (int)lround(bar->length * scale) + 1;

        canvas_at(canvas, top + i, 0);
        if (!bars->no_labels)
            canvas_text(canvas, top + i, 0, names, name, false);
        print_bar(bar, canvas, top + i, names, scale);
        if (!bars->no_labels && after < canvas->n_columns)
            canvas_text(canvas, top + i, after, values, bar->value, false);
    }
}
