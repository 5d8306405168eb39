/* SPDX-License-Identifier: MIT
 * A range -> the colours of a bar, and the numbers next to it. */
#include "draw/figure/colourbar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/ticks.h"

static void colourbar_number(char dst[24], bool fixed, int digits, double v)
{
    snprintf(dst, 24, fixed ? "%.*f" : "%.*g", digits, v);
    if (strtod(dst, NULL) == 0.0)
        snprintf(dst, 24, "%.*f", fixed ? digits : 2, 0.0);     /* not -0.00 */
    ticks_shorten(dst);
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
        colourbar_number(text.hi, !small && !large, 2, hi);
        return text;
    }
    /* As many digits as tell the ends apart. */
    for (int digits = 2; digits < 9; digits++) {
        bool fine = scale == SCALE_LOG && fabs(lo) < 0.1;

        colourbar_number(text.lo, !small && !large && !fine, digits, lo);
        colourbar_number(text.hi, !small && !large, digits, hi);
        if (strcmp(text.lo, text.hi) != 0)
            break;
    }
    return text;
}

/* ---- what stands beside it ---- */

/* From one label to the next, in lines. */
static const double SPACING = 1.6;

/* A bar's round numbers, and the room for its labels. */
struct labelling {
    struct page *page;
    enum scale scale;
    struct scale_range range;
    struct ticks ticks;
    double gap;                 /* as a share of the bar */
};

static struct colourbar_label make_label(const struct labelling *labelling, const char *text,
                                         double at, bool tick)
{
    const char *kept = arena_strdup(labelling->page->arena, text);

    return (struct colourbar_label){ text_line(&labelling->page->text, &text_value, kept), at,
                                     tick };
}

/* The two ends, of a bar without room for more; one value in the middle. */
static void label_ends(struct colourbar *bar, const struct labelling *labelling,
                       struct colourbar_label *label)
{
    struct colourbar_text ends = colourbar_text(labelling->scale, labelling->range);
    char hi[TICK_TEXT];

    snprintf(hi, sizeof hi, "%s%s", labelling->range.above ? "≥" : "", ends.hi);
    if (ends.lo[0] != '\0')
        label[bar->n++] = make_label(labelling, ends.lo, 0.0, false);
    if (ends.hi[0] != '\0') {
        label[bar->n] = make_label(labelling, hi, bar->n > 0 ? 1.0 : 0.5, false);
        bar->n++;
    }
}

static struct colourbar_label end_label(const struct labelling *labelling, bool high)
{
    char text[TICK_TEXT];

    ticks_end_text(text, high, high ? labelling->range.hi : labelling->range.lo,
                   labelling->ticks.decimals);
    return make_label(labelling, text, high ? 1.0 : 0.0, true);
}

/* Round numbers, less those that would touch an end beyond which there are values. */
static void label_ticks(struct colourbar *bar, const struct labelling *labelling,
                        struct colourbar_label *label)
{
    const struct ticks *t = &labelling->ticks;
    double lowest = labelling->range.below ? labelling->gap :
                    0.0, highest = labelling->range.above ? 1.0 - labelling->gap : 1.0;
    char text[TICK_TEXT];

    if (labelling->range.below)
        label[bar->n++] = end_label(labelling, false);
    for (int i = 0; i < t->n; i++)
        if (t->at[i] >= lowest && t->at[i] <= highest) {
            ticks_text(text, t->value[i], t->decimals);
            label[bar->n++] = make_label(labelling, text, t->at[i], true);
        }
    if (labelling->range.above)
        label[bar->n++] = end_label(labelling, true);
}

static void colourbar_measure_bar(struct colourbar *bar, const struct labelling *labelling)
{
    struct colourbar_label *label = arena_alloc(labelling->page->arena, MAX_TICKS + 2,
                                                sizeof *label);

    *bar = (struct colourbar){ .range = labelling->range, .label = label };
    if (labelling->ticks.n > 0)
        label_ticks(bar, labelling, label);
    else
        label_ends(bar, labelling, label);
}

void colourbar_measure(struct colourbar *bar, int n, struct page *page, enum scale scale,
                       const struct scale_range *range, double height)
{
    double gap = SPACING * text_line_height(&page->text, &text_value) / height;
    struct ticks *ticks = arena_alloc(page->arena, (size_t)n, sizeof *ticks);
    int decimals = -1;

    for (int i = 0; i < n; i++) {
        ticks[i] = ticks_make(scale, range[i], gap);
        if (ticks[i].n > 0 && ticks[i].decimals > decimals)
            decimals = ticks[i].decimals;
    }
    for (int i = 0; i < n; i++) {
        if (ticks[i].decimals >= 0)
            ticks[i].decimals = decimals;
        colourbar_measure_bar(&bar[i], &(struct labelling){ page, scale, range[i], ticks[i], gap });
    }
}

double colourbar_width(const struct colourbar *bar)
{
    double widest = 0.0;

    for (int i = 0; i < bar->n; i++)
        widest = fmax(widest, text_width(bar->label[i].text));
    return widest;
}

/* ---- ink ---- */

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

/* An arrow is half as high as it is wide; a bar too low for it has none. */
static double arrow_height(const struct page *page, const struct grid *grid, struct box at)
{
    double height = page_snap(page, grid->bar_w / 2.0);

    return at.h >= 8.0 * height ? height : 0.0;
}

struct box colourbar_colours(struct scale_range range, const struct page *page,
                             const struct grid *grid, struct box at)
{
    double arrow = arrow_height(page, grid, at);
    double above = range.above ? arrow : 0.0, below = range.below ? arrow : 0.0;

    return (struct box){ at.x, at.y + above, at.w, at.h - above - below };
}

/* From the edge at y towards the tip, in the colour of that end. */
static void paint_arrow(struct page *page, const unsigned char *rgb, struct box at, double y,
                        double tip, double line)
{
    cairo_t *cr = page->cr;

    cairo_move_to(cr, at.x - line / 2.0, y);
    cairo_line_to(cr, at.x + at.w / 2.0, tip);
    cairo_line_to(cr, at.x + at.w + line / 2.0, y);
    cairo_close_path(cr);
    cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
    cairo_fill_preserve(cr);
    cairo_set_source_rgb(cr, 0.5, 0.5, 0.5);
    cairo_set_line_width(cr, line);
    cairo_stroke(cr);
}

static void paint_label(const struct colourbar_label *label, struct page *page,
                        const struct grid *grid, struct box at)
{
    const struct text *text = &page->text;
    double x = at.x + at.w, half = text_middle(text, &text_value);
    double line = text_line_height(text, &text_value), middle = at.y + at.h / 2.0;
    double reach = fmax(at.h / 2.0, line), centre = at.y + (1.0 - label->at) * at.h;
    double base = fmin(fmax(centre + half, middle - reach + 2.0 * half), middle + reach);

    if (label->tick) {
        double top = fmin(fmax(page_snap(page, centre - grid->line / 2.0), at.y),
                          at.y + at.h - grid->line);

        cairo_set_source_rgb(page->cr, 0.5, 0.5, 0.5);
        cairo_rectangle(page->cr, x, top, grid->line + grid->value_gap / 2.0, grid->line);
        cairo_fill(page->cr);
    }
    text_draw_line(text, page->cr, label->text, TEXT_LEFT, x + grid->value_gap,
                   page_snap(page, base), 2.0 * line);
}

void colourbar_paint(const struct colourbar *bar, struct page *page,
                     const struct grid *grid, const struct cmap *cmap, struct box at)
{
    struct box colours = colourbar_colours(bar->range, page, grid, at);

    if (colours.y > at.y)
        paint_arrow(page, cmap_colour(cmap, 255), at, colours.y, at.y, grid->line);
    if (colours.y + colours.h < at.y + at.h)
        paint_arrow(page, cmap_colour(cmap, 0), at, colours.y + colours.h, at.y + at.h, grid->line);
    page_frame(page, colours, grid->line);
    paint_colours(page, cmap, bar->range, colours);
    for (int i = 0; i < bar->n; i++)
        paint_label(&bar->label[i], page, grid, colours);
}
