/* SPDX-License-Identifier: MIT
 * The boxes of a sheet's title, parts and caption. */
#include "draw/layout.h"

#include <math.h>

/* Pixels at 100 dpi. */
enum { MARGIN = 14, TITLE_GAP = 12, PART_GAP = 20, CAPTION_GAP = 14, READABLE = 300 };

double layout_units(struct units units, double px)
{
    double length = px * units.px;

    return units.whole ? fmax(round(length), 1.0) : length;
}

double layout_whole(struct units units, double length)
{
    return units.whole ? ceil(length) : length;
}

/* The widest of the parts; more where title and caption would be hard to read. */
static double inner_width(const struct layout_sizes *s)
{
    double width = 0.0;

    if (s->page > 0.0)
        return s->page - 2.0 * layout_units(s->units, LAYOUT_NARROW_MARGIN);
    for (int i = 0; i < s->n_parts; i++)
        width = fmax(width, s->part[i].w);
    if (s->caption)
        width = fmax(width, layout_units(s->units, READABLE));
    if (s->title_h > 0.0)
        width = fmax(width, fmin(layout_whole(s->units, s->title_w),
                                 layout_units(s->units, READABLE)));
    return width;
}

void layout_make(struct layout *l, const struct layout_sizes *s, struct arena *a)
{
    double margin = layout_units(s->units, s->page > 0.0 ? LAYOUT_NARROW_MARGIN : MARGIN);
    double inner = inner_width(s), y = margin;

    *l = (struct layout){ .width = inner + 2.0 * margin, .margin = margin };
    l->title = (struct box){ margin, margin, inner, layout_whole(s->units, s->title_h) };
    if (s->title_h > 0.0)
        y += l->title.h + layout_units(s->units, TITLE_GAP);
    l->part = arena_alloc(a, (size_t)s->n_parts, sizeof *l->part);
    for (int i = 0; i < s->n_parts; i++) {
        double w = s->part[i].w, h = s->part[i].h;

        if (i > 0)
            y += layout_units(s->units, PART_GAP);
        l->part[i] = (struct box){ margin + layout_whole(s->units, (inner - w) / 2.0), y,
                                   w, h };
        y += h;
    }
    l->height = y + margin;
    if (s->caption)
        l->caption = (struct box){ margin, y + layout_units(s->units, CAPTION_GAP), inner,
                                   0.0 };
}

void layout_add_caption(struct layout *l, double height)
{
    l->caption.h = height;
    l->height = l->caption.y + height + l->margin;
}
