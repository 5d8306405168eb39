/* SPDX-License-Identifier: MIT
 * Colours and end values of a bar. */
#include "draw/colourbar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1e-05" -> "1e-5" */
static void tidy(char *s)
{
    char *e = strchr(s, 'e'), *from;

    if (e == NULL)
        return;
    e += e[1] == '-' ? 2 : 1;
    for (from = e; *from == '+' || (*from == '0' && from[1] != '\0'); from++)
        ;
    memmove(e, from, strlen(from) + 1);
}

static void number(char dst[24], bool fixed, int digits, double v)
{
    snprintf(dst, 24, fixed ? "%.*f" : "%.*g", digits, v);
    if (strtod(dst, NULL) == 0.0)
        snprintf(dst, 24, "%.*f", fixed ? digits : 2, 0.0);     /* not -0.00 */
    tidy(dst);
}

struct colourbar_text colourbar_text(enum scale scale, struct scale_range range)
{
    double lo = range.lo, hi = range.hi;
    struct colourbar_text text = { "", "" };
    bool small, large;

    if (!range.any)
        return text;
    if (scale == SCALE_LOG) {
        lo = fmax(lo, 1e-6);    /* the scale's floor: less looks the same */
        hi = fmax(hi, 1e-6);
    }
    large = fmax(fabs(lo), fabs(hi)) >= 1000.0;
    small = fmax(fabs(lo), fabs(hi)) < 0.1;
    if (lo == hi) {
        number(text.hi, !small && !large, 2, hi);
        return text;
    }
    /* As many digits as tell the ends apart. */
    for (int digits = 2; digits < 9; digits++) {
        bool fine = scale == SCALE_LOG && fabs(lo) < 0.1;

        number(text.lo, !small && !large && !fine, digits, lo);
        number(text.hi, !small && !large, digits, hi);
        if (strcmp(text.lo, text.hi) != 0)
            break;
    }
    return text;
}

void colourbar_measure(struct colourbar *bar, struct page *page, enum scale scale,
                       struct scale_range range)
{
    struct colourbar_text ends = colourbar_text(scale, range);

    *bar = (struct colourbar){ .range = range, .single = ends.lo[0] == '\0' };
    bar->lo = text_line(&page->text, &text_value, arena_strdup(page->arena, ends.lo));
    bar->hi = text_line(&page->text, &text_value, arena_strdup(page->arena, ends.hi));
}

double colourbar_width(const struct colourbar *bar)
{
    return fmax(text_width(bar->lo), text_width(bar->hi));
}

/*
 * The colours, from the top: as many as a PNG has pixels, so that the first and
 * the last are the map's ends; one flat colour where there is no range.
 */
static void paint_colours(struct page *page, const struct cmap *cmap,
                          struct scale_range range, struct box at)
{
    int count = page->vector ? 256 : (int)at.h;
    unsigned short *index = arena_alloc_raw(page->arena, (size_t)count, sizeof *index);

    for (int i = 0; i < count; i++)
        index[i] = (unsigned short)
            (!range.any ? CELL_MASKED : range.lo == range.hi ? 0 :
             255 - (count > 1 ? (i * 255 + (count - 1) / 2) / (count - 1) : 0));
    page_cells(page, cmap, index, count, 1, at);
}

void colourbar_paint(const struct colourbar *bar, struct page *page,
                     const struct grid *grid, const struct cmap *cmap, struct box cells)
{
    const struct text *text = &page->text;
    struct box at = { cells.x + cells.w + grid->line + grid->bar_gap, cells.y,
                      grid->bar_w, cells.h };
    double x = at.x + at.w + grid->value_gap, line = text_line_height(text, &text_value);
    double middle = at.y + at.h / 2.0, half = text_middle(text, &text_value);
    double reach = fmax(at.h / 2.0, line), top = middle - reach + 2.0 * half;

    page_frame(page, at, grid->line);
    paint_colours(page, cmap, bar->range, at);
    if (bar->single)
        top = middle + half;
    text_draw_line(text, page->cr, bar->hi, x, page_snap(page, top), 2.0 * line);
    text_draw_line(text, page->cr, bar->lo, x, page_snap(page, middle + reach),
                   2.0 * line);
}
