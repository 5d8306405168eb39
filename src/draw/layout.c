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
static double inner_width(const struct layout_sizes *sizes)
{
    double width = 0.0;

    if (sizes->page > 0.0)
        return sizes->page - 2.0 * layout_units(sizes->units, LAYOUT_NARROW_MARGIN);
    for (int i = 0; i < sizes->n_parts; i++)
        width = fmax(width, sizes->part[i].w);
    if (sizes->caption)
        width = fmax(width, layout_units(sizes->units, READABLE));
    if (sizes->title_h > 0.0)
        width = fmax(width, fmin(layout_whole(sizes->units, sizes->title_w),
                                 layout_units(sizes->units, READABLE)));
    return width;
}

void layout_make(struct layout *layout, const struct layout_sizes *sizes, struct arena *a)
{
    double margin = layout_units(sizes->units, sizes->page > 0.0 ? LAYOUT_NARROW_MARGIN : MARGIN);
    double inner = inner_width(sizes), y = margin;

    *layout = (struct layout){ .width = inner + 2.0 * margin, .margin = margin };
    layout->title = (struct box){ margin, margin, inner,
                                  layout_whole(sizes->units, sizes->title_h) };
    if (sizes->title_h > 0.0)
        y += layout->title.h + layout_units(sizes->units, TITLE_GAP);
    layout->part = arena_alloc(a, (size_t)sizes->n_parts, sizeof *layout->part);
    for (int i = 0; i < sizes->n_parts; i++) {
        double w = sizes->part[i].w, h = sizes->part[i].h;

        if (i > 0)
            y += layout_units(sizes->units, PART_GAP);
        layout->part[i] = (struct box){ margin + layout_whole(sizes->units, (inner - w) / 2.0), y,
                                        w, h };
        y += h;
    }
    layout->height = y + margin;
    if (sizes->caption)
        layout->caption = (struct box){ margin, y + layout_units(sizes->units, CAPTION_GAP), inner,
                                        0.0 };
}

void layout_add_caption(struct layout *layout, double height)
{
    layout->caption.h = height;
    layout->height = layout->caption.y + height + layout->margin;
}
