/* SPDX-License-Identifier: MIT
 * Grids of heatmaps side by side: each is measured and painted like a single part. */
#include "draw/figure/beside.h"

#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/figure/beside_boxes.h"
#include "draw/figure/cells.h"
#include "draw/part.h"

enum { HEADING_LINES = 2 };

struct measured {
    const struct beside *of;
    struct part *part;          /* [n] */
    void **measured;            /* [n] by each of them */
    const struct piece **heading;       /* [n]; NULL: none */
    struct beside_boxes boxes;
};

static void beside_scripts(const void *of, struct label_scripts *scripts)
{
    const struct beside *beside = of;

    for (int i = 0; i < beside->n; i++) {
        const struct part part = heatmap_part(&beside->maps[i]);
        const char *heading = beside->heading[i];

        part.type->scripts(part.of, scripts);
        if (heading != NULL)
            label_scripts_add(scripts, heading, strnlen(heading, LABEL_TEXT_CHARS));
    }
}

/* Its parts; of several with one range, one has the bar. */
static struct part *beside_parts_of(const struct beside *beside, int with_bar, struct arena *a)
{
    struct heatmaps *maps = arena_alloc(a, (size_t)beside->n, sizeof *maps);
    struct part *part = arena_alloc(a, (size_t)beside->n, sizeof *part);

    for (int i = 0; i < beside->n; i++) {
        maps[i] = beside->maps[i];
        maps[i].no_bars |= cells_have_one_range(&maps[i]) && i != with_bar;
        part[i] = heatmap_part(&maps[i]);
    }
    return part;
}

/* ---- measuring ---- */

static int beside_columns_of(const struct beside *beside)
{
    return beside->columns < beside->n ? beside->columns : beside->n;
}

/* Of the bar of them all, on a page of a given width. */
static double bar_of(const struct beside *beside, struct page *page)
{
    const struct heatmaps *last = &beside->maps[beside_columns_of(beside) - 1];

    return cells_have_one_range(last) && !last->no_bars ? heatmap_bar_width(last, page) : 0.0;
}

/* As if each had a page of its own. */
static void measure_parts(struct measured *measured, struct page *page, struct box *size)
{
    const struct sheet *sheet = page->sheet;
    int last = beside_columns_of(measured->of) - 1;
    double width = layout_units(page->units, sheet->width_px), bar = bar_of(measured->of, page);
    double room = beside_room(page->units, width, last + 1, bar);

    for (int i = 0; i < measured->of->n; i++) {
        struct sheet own = *sheet;

        if (sheet->width_px > 0.0)
            own.width_px = (room + (i == last ? bar : 0.0)) / page->units.px +
                           2.0 * LAYOUT_NARROW_MARGIN;
        page->sheet = &own;
        measured->measured[i] = measured->part[i].type->measure(measured->part[i].of, page,
                                                                &size[i]);
    }
    page->sheet = sheet;
}

static double *measure_headings(struct measured *measured, struct page *page,
                                const struct beside_sizes *sizes)
{
    double *height = arena_alloc(page->arena, (size_t)measured->of->n, sizeof *height);

    for (int i = 0; i < measured->of->n; i++) {
        const char *heading = measured->of->heading[i];

        if (heading == NULL)
            continue;
        heading = label_clean(page->arena, heading, strlen(heading), LABEL_TEXT_CHARS);
        measured->heading[i] = text_paragraph(&page->text, &text_heading, heading,
                                              beside_column(sizes, i % sizes->columns),
                                              HEADING_LINES, true);
        height[i] = text_height(measured->heading[i]);
    }
    return height;
}

static void *beside_measure(const void *of, struct page *page, struct box *size)
{
    const struct beside *beside = of;
    struct arena *a = page->arena;
    struct measured *m = arena_alloc(a, 1, sizeof *m);
    struct box *part = arena_alloc(a, (size_t)beside->n, sizeof *part);
    struct beside_sizes sizes = { .units = page->units, .n = beside->n,
                                  .columns = beside_columns_of(beside), .part = part,
                                  .narrow = page->sheet->width_px > 0.0 };

    m->of = beside;
    m->part = beside_parts_of(beside, beside_columns_of(beside) - 1, a);
    m->measured = arena_alloc(a, (size_t)beside->n, sizeof *m->measured);
    m->heading = arena_alloc(a, (size_t)beside->n, sizeof *m->heading);
    measure_parts(m, page, part);
    sizes.heading = measure_headings(m, page, &sizes);
    beside_make(&m->boxes, &sizes, a);
    *size = (struct box){ .w = m->boxes.width, .h = m->boxes.height };
    return m;
}

static double number_px(const void *measured)
{
    const struct measured *m = measured;
    double least = 0.0;

    for (int i = 0; i < m->of->n; i++) {
        double px = m->part[i].type->number_px(m->measured[i]);

        least = least > 0.0 && (px == 0.0 || px > least) ? least : px;
    }
    return least;
}

/* ---- painting ---- */

static struct box moved(struct box box, struct box at)
{
    return (struct box){ at.x + box.x, at.y + box.y, box.w, box.h };
}

static void beside_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < m->of->n; i++)
        m->part[i].type->paint(m->measured[i], page, moved(m->boxes.part[i], at));
}

/* The middle of a text's cells, from its left edge. */
static double middle_of(const struct measured *measured, int i)
{
    double left = INFINITY, right = 0.0;

    for (int panel = 0; panel < measured->of->maps[i].n_panels; panel++) {
        struct box cells = heatmap_panel(measured->measured[i], (struct box){ .x = 0.0 }, panel);

        left = fmin(left, cells.x);
        right = fmax(right, cells.x + cells.w);
    }
    return (left + right) / 2.0;
}

/* Above the middle of the cells, as far as the heading stays within its box. */
static void paint_heading(const struct measured *measured, struct page *page, struct box at, int i)
{
    struct box box = moved(measured->boxes.heading[i], at);
    double spare = fmax(box.w - text_width(measured->heading[i]), 0.0) / 2.0;
    double aside = middle_of(measured, i) - box.w / 2.0;

    text_draw_paragraph(&page->text, page->cr, measured->heading[i],
                        page_snap(page, box.x + fmax(fmin(aside, spare), -spare)),
                        page_snap(page, box.y));
}

static void beside_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;

    for (int i = 0; i < m->of->n; i++) {
        if (m->heading[i] != NULL)
            paint_heading(m, page, at, i);
        m->part[i].type->paint_text(m->measured[i], page, moved(m->boxes.part[i], at));
    }
}

/* ---- on a terminal ---- */

/* One below the other. */
static void beside_print(const void *of, struct canvas *canvas)
{
    const struct beside *beside = of;
    const struct part *part = beside_parts_of(beside, beside->n - 1, canvas->arena);

    for (int i = 0; i < beside->n; i++) {
        const char *heading = beside->heading[i];
        int row = canvas->n_rows + (i > 0);

        if (heading != NULL)
            canvas_paragraph(canvas, row, label_clean(canvas->arena, heading, strlen(heading),
                                                      LABEL_TEXT_CHARS), true);
        else if (i > 0)
            canvas_at(canvas, row - 1, 0);
        part[i].type->print(part[i].of, canvas);
    }
}

struct part beside_part(const struct beside *beside)
{
    static const struct part_type type = { beside_scripts, beside_measure, beside_paint,
                                           beside_paint_text, beside_print, number_px };

    return (struct part){ &type, beside };
}

void beside_panels(const struct sheet *sheet, struct arena *a, struct box *panels)
{
    const struct measured *m;
    struct plan plan;
    struct page page;
    int n = 0;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    m = plan.measured[0];
    for (int i = 0; i < m->of->n; i++)
        for (int panel = 0; panel < m->of->maps[i].n_panels; panel++)
            panels[n++] = heatmap_panel(m->measured[i],
                                        moved(m->boxes.part[i], plan.layout.part[0]), panel);
    page_finish(&page);
}

double beside_width_px(const struct heatmap_page *page, int columns)
{
    const struct units units = { 1.0, false };
    /* The numbers of the bar: at most as wide as on a page of a grid. */
    double bar = page->bars && page->one_bar ? 5.0 * page->font_px : 0.0;

    return beside_room(units, page->width_px, columns, bar) + 2.0 * LAYOUT_NARROW_MARGIN;
}
