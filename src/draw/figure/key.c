/* SPDX-License-Identifier: MIT
 * The places of a key's entries, their samples and names. */
#include "draw/figure/key.h"

#include <math.h>
#include <string.h>

#include "draw/pen.h"

/* Pixels at 100 dpi. */
enum { GAP = 5, GUTTER = 14, LINE_SAMPLE = 28 };

static const double TURN = 6.283185307179586;  /* radians */

static const struct style name_style = { 10.0, 1.0, 0.13, false, false, 0.0 };

static const struct piece *key_line_of(struct page *page, const struct style *style,
                                       const char *text)
{
    return text_line(&page->text, style,
                     label_clean(page->arena, text, strlen(text), 4 * LABEL_CHARS));
}

/* The widest of the names, each cut at max_w. */
static double key_measure_names(struct key *key, struct page *page, double max_w)
{
    struct style style = name_style;
    double widest = 0.0;

    style.max_w = fmax(max_w, 1.0);
    for (int i = 0; i < key->n; i++) {
        key->name[i] = key_line_of(page, &style, key->entry[i].name);
        if (key->entry[i].letter != NULL)
            key->letter[i] = key_line_of(page, &name_style, key->entry[i].letter);
        widest = fmax(widest, text_width(key->name[i]));
    }
    return widest;
}

void key_measure(struct key *key, struct page *page, enum key_mark mark,
                    const struct key_entry *entry, int n, double width)
{
    double line = text_line_height(&page->text, &name_style), widest, gutter;
    size_t count = (size_t)n;

    *key = (struct key){ .mark = mark, .n = n, .entry = entry,
                          .gap = layout_units(page->units, GAP) };
    if (n == 0)
        return;
    key->name = arena_alloc(page->arena, count, sizeof *key->name);
    key->letter = arena_alloc(page->arena, count, sizeof *key->letter);
    key->sample_w = mark == KEY_LINE ? layout_units(page->units, LINE_SAMPLE)
                                     : layout_whole(page->units, 1.2 * line);
    widest = key_measure_names(key, page, width - key->sample_w - key->gap);
    gutter = layout_units(page->units, GUTTER);
    key->step_x = key->sample_w + key->gap + layout_whole(page->units, widest) + gutter;
    key->step_y = layout_whole(page->units, 1.45 * line);
    key->columns = (int)fmin(fmax(floor((width + gutter) / key->step_x), 1.0), n);
    key->width = key->columns * key->step_x - gutter;
    key->height = (n + key->columns - 1) / key->columns * key->step_y;
}

struct box key_box(const struct key *key, struct box at, int i)
{
    return (struct box){ at.x + i % key->columns * key->step_x,
                         at.y + i / key->columns * key->step_y,
                         key->sample_w + key->gap + text_width(key->name[i]), key->step_y };
}

void key_circle(struct page *page, double x, double y, double r)
{
    cairo_new_sub_path(page->cr);
    cairo_arc(page->cr, x, y, r, 0.0, TURN);
    cairo_close_path(page->cr);
}

void key_dot(struct page *page, int kind, double x, double y, double r)
{
    static const double corners[][3][2] = {
        { { -0.9, 0.8 }, { 0.9, 0.8 }, { 0.0, -1.1 } },         /* triangles */
        { { -0.9, -0.8 }, { 0.9, -0.8 }, { 0.0, 1.1 } },
    };
    cairo_t *cr = page->cr;
    int shape = kind < 0 ? 0 : kind % 4;

    if (shape == 0)
        key_circle(page, x, y, r);
    else if (shape == 1)
        cairo_rectangle(cr, x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
    for (int i = 0; shape > 1 && i < 3; i++)
        cairo_line_to(cr, x + corners[shape - 2][i][0] * 1.1 * r,
                      y + corners[shape - 2][i][1] * 1.1 * r);
    cairo_close_path(cr);
    pen_fill(cr, kind < 0 ? PEN_INK : kind % PEN_TONES, 1.0);
    cairo_fill(cr);
}

static void paint_sample(const struct key *key, struct page *page, struct box at, int pen)
{
    cairo_t *cr = page->cr;
    double px = page->units.px, middle = page_snap(page, at.y + at.h / 2.0);
    double side = 0.8 * at.h;

    if (key->mark == KEY_BOX) {
        page_frame(page, (struct box){ at.x, middle - side / 2.0, key->sample_w, side }, px);
        pen_tint(cr, pen);
        cairo_rectangle(cr, at.x, middle - side / 2.0, key->sample_w, side);
        cairo_fill(cr);
    } else if (key->mark == KEY_LINE) {
        pen_set(cr, pen, 1.8 * px, px);
        cairo_move_to(cr, at.x, middle);
        cairo_line_to(cr, at.x + key->sample_w, middle);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0.0);
    } else {
        key_dot(page, pen, at.x + key->sample_w / 2.0, middle, 4.0 * px);
    }
}

void key_paint(const struct key *key, struct page *page, struct box at)
{
    for (int i = 0; i < key->n; i++)
        paint_sample(key, page, key_box(key, at, i), key->entry[i].pen);
}

void key_paint_text(const struct key *key, struct page *page, struct box at)
{
    const struct text *text = &page->text;

    for (int i = 0; i < key->n; i++) {
        struct box box = key_box(key, at, i);
        double base = page_snap(page, box.y + box.h / 2.0 + text_middle(text, &name_style));

        text_draw_line(text, page->cr, key->name[i], TEXT_LEFT,
                       page_snap(page, box.x + key->sample_w + key->gap), base, 2.0 * box.h);
        if (key->letter[i] != NULL)
            text_draw_line(text, page->cr, key->letter[i], TEXT_CENTRE,
                           page_snap(page, box.x + (key->sample_w -
                                                    text_width(key->letter[i])) / 2.0),
                           base, 2.0 * box.h);
    }
}
