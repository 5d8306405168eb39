/* SPDX-License-Identifier: MIT
 * Names of heads -> columns of samples and names. */
#include "draw/figure/legend.h"

#include <math.h>
#include <string.h>

#include "draw/figure/stroke.h"

/* Pixels at 100 dpi. */
enum { SAMPLE = 24, GAP = 6, BETWEEN = 18 };

static const struct style name_style = { 10.0, 1.0, 0.13, false, false, 0.0 };

int legend_columns(int n, double entry, double gap, double max_w)
{
    int fit = (int)floor((max_w + gap) / (entry + gap));

    return fit < 1 ? 1 : fit < n ? fit : n;
}

void legend_measure(struct legend *legend, struct page *page, int n, const char *const *name,
                    double max_w)
{
    double between = layout_units(page->units, BETWEEN), widest = 0.0;
    struct style style = name_style;

    *legend = (struct legend){ .n = n, .sample = layout_units(page->units, SAMPLE),
                               .gap = layout_units(page->units, GAP) };
    if (n == 0)
        return;
    style.max_w = fmax(max_w - legend->sample - legend->gap, 1.0);
    legend->name = arena_alloc(page->arena, (size_t)n, sizeof *legend->name);
    for (int i = 0; i < n; i++) {
        const char *clean = label_clean(page->arena, name[i], strlen(name[i]), 3 * LABEL_CHARS);

        legend->name[i] = text_line(&page->text, &style, clean);
        widest = fmax(widest, text_width(legend->name[i]));
    }
    widest = layout_whole(page->units, widest + legend->sample + legend->gap);
    legend->columns = legend_columns(n, widest, between, max_w);
    legend->step_x = widest + between;
    legend->step_y = layout_whole(page->units, 1.4 * text_line_height(&page->text, &style));
    legend->width = legend->columns * legend->step_x - between;
    legend->height = (n - 1) / legend->columns * legend->step_y + legend->step_y;
}

void legend_sample(struct page *page, int i, int n, double x, double y, double length)
{
    stroke_set_sample(page, i, n);
    cairo_move_to(page->cr, x, y);
    cairo_line_to(page->cr, x + length, y);
    cairo_stroke(page->cr);
    cairo_set_dash(page->cr, NULL, 0, 0.0);
}

/* The middle of entry i. */
static double entry_y(const struct legend *legend, struct box at, int i)
{
    return at.y + (i / legend->columns + 0.5) * legend->step_y;
}

void legend_paint(const struct legend *legend, struct page *page, struct box at)
{
    for (int i = 0; i < legend->n; i++)
        legend_sample(page, i, legend->n, at.x + i % legend->columns * legend->step_x,
                      entry_y(legend, at, i), legend->sample);
}

void legend_paint_text(const struct legend *legend, struct page *page, struct box at)
{
    for (int i = 0; i < legend->n; i++)
        text_draw_line(&page->text, page->cr, legend->name[i], TEXT_LEFT,
                       page_snap(page, at.x + i % legend->columns * legend->step_x +
                                           legend->sample + legend->gap),
                       page_snap(page, entry_y(legend, at, i) +
                                           text_middle(&page->text, &name_style)),
                       legend->step_y);
}
