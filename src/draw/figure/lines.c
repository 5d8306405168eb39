/* SPDX-License-Identifier: MIT
 * Names and texts in two columns. */
#include "draw/figure/lines.h"

#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/part.h"

/* Pixels at 100 dpi between the columns; characters of a line. */
enum { GAP = 10, MOST = 200 };

struct measured {
    int n;
    const struct piece *title, **name, **text;
    double name_w, gap, line;   /* the widest name; from it to texts; from line to line */
};

static const struct style name_style = { 10.0, 1.0, 0.38, false, false, 0.0 };
static const struct style text_style = { 10.0, 1.0, 0.13, false, false, 0.0 };

static void draw_lines_scripts(const void *of, struct label_scripts *scripts)
{
    const struct lines *lines = of;

    for (int i = 0; i < lines->n; i++)
        label_scripts_add(scripts, lines->text[i], strlen(lines->text[i]));
}

static const struct piece *draw_line_of(struct page *page, const struct style *style, const char *s)
{
    return text_line(&page->text, style, label_clean(page->arena, s, strlen(s), MOST));
}

/* Room for a text beside its name; 0: as much as it takes. */
static double draw_lines_room_of(const struct measured *measured, const struct page *page)
{
    double margins = 2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN);

    if (page->sheet->width_px <= 0.0)
        return 0.0;
    return fmax(layout_units(page->units, page->sheet->width_px) - margins - measured->name_w -
                    measured->gap,
                page->units.px);
}

static void *draw_lines_measure(const void *of, struct page *page, struct box *size)
{
    const struct lines *lines = of;
    struct measured *m = arena_alloc(page->arena, 1, sizeof *m);
    struct style style = text_style;
    double widest = 0.0;

    *m = (struct measured){ .n = lines->n, .gap = layout_units(page->units, GAP) };
    m->name = arena_alloc(page->arena, (size_t)lines->n, sizeof *m->name);
    m->text = arena_alloc(page->arena, (size_t)lines->n, sizeof *m->text);
    m->title = lines->title != NULL ? draw_line_of(page, &text_heading, lines->title) : NULL;
    for (int i = 0; i < lines->n; i++) {
        m->name[i] = draw_line_of(page, &name_style, lines->name[i]);
        m->name_w = fmax(m->name_w, text_width(m->name[i]));
    }
    style.max_w = draw_lines_room_of(m, page);
    for (int i = 0; i < lines->n; i++) {
        m->text[i] = draw_line_of(page, &style, lines->text[i]);
        widest = fmax(widest, text_width(m->text[i]));
    }
    m->line = layout_whole(page->units, 1.45 * text_line_height(&page->text, &text_heading));
    widest = fmax(m->name_w + m->gap + widest, m->title != NULL ? text_width(m->title) : 0.0);
    *size = (struct box){ .w = layout_whole(page->units, widest),
                          .h = (lines->n + (m->title != NULL)) * m->line };
    return m;
}

static void draw_lines_draw(struct page *page, const struct piece *piece, double x, double y,
                            double line)
{
    text_draw_line(&page->text, page->cr, piece, TEXT_LEFT, page_snap(page, x),
                   page_snap(page, y + line / 2.0 + text_middle(&page->text, &text_style)), line);
}

static void draw_lines_paint(const void *measured, struct page *page, struct box at)
{
    const struct measured *m = measured;
    double y = at.y;

    if (m->title != NULL) {
        draw_lines_draw(page, m->title, at.x, y, m->line);
        y += m->line;
    }
    for (int i = 0; i < m->n; i++, y += m->line) {
        draw_lines_draw(page, m->name[i], at.x, y, m->line);
        draw_lines_draw(page, m->text[i], at.x + m->name_w + m->gap, y, m->line);
    }
}

static int draw_lines_print_line(struct canvas *canvas, int row, int column, const char *s,
                                 bool bold)
{
    return canvas_text(canvas, row, column, canvas->n_columns,
                       label_clean(canvas->arena, s, strlen(s), MOST), bold);
}

static void draw_lines_print(const void *of, struct canvas *canvas)
{
    const struct lines *lines = of;
    int row = canvas->n_rows + 1, name_w = 0;

    for (int i = 0; i < lines->n; i++) {
        int w = canvas_width(lines->name[i]);

        name_w = w > name_w ? w : name_w;
    }
    if (lines->title != NULL)
        row += draw_lines_print_line(canvas, row, 0, lines->title, true) > 0;
    for (int i = 0; i < lines->n; i++, row++) {
        draw_lines_print_line(canvas, row, 0, lines->name[i], false);
        if (name_w + 2 < canvas->n_columns)
            draw_lines_print_line(canvas, row, name_w + 2, lines->text[i], false);
    }
}

struct part lines_part(const struct lines *lines)
{
    static const struct part_type type = { draw_lines_scripts, draw_lines_measure, draw_lines_paint,
                                           NULL, draw_lines_print };

    return (struct part){ &type, lines };
}
