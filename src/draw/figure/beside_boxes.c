/* SPDX-License-Identifier: MIT
 * Sizes of parts and headings to boxes; no pixels, no fonts. */
#include "draw/figure/beside_boxes.h"

#include <math.h>

/* Pixels at 100 dpi. */
static const struct spacing { double column, row, heading; }
    wide = { 40, 28, 8 }, narrow = { 14, 12, 4 };

static const struct spacing *spacing_of(bool is_narrow)
{
    return is_narrow ? &narrow : &wide;
}

double beside_column(const struct beside_sizes *sizes, int column)
{
    double widest = 0.0;

    for (int i = column; i < sizes->n; i += sizes->columns)
        widest = fmax(widest, sizes->part[i].w);
    return layout_whole(sizes->units, widest);
}

/* Of those of a row, which begins with the first-th part. */
static double highest(const struct beside_sizes *sizes, int first, bool heading)
{
    double h = 0.0;

    for (int i = first; i < sizes->n && i < first + sizes->columns; i++)
        h = fmax(h, heading ? sizes->heading[i] : sizes->part[i].h);
    return layout_whole(sizes->units, h);
}

static void place_row(struct beside_boxes *boxes, const struct beside_sizes *sizes, int first)
{
    const struct spacing *space = spacing_of(sizes->narrow);
    double heading = sizes->heading != NULL ? highest(sizes, first, true) : 0.0, x = 0.0;
    double gap = heading > 0.0 ? layout_units(sizes->units, space->heading) : 0.0;
    double y = boxes->height + (first > 0 ? layout_units(sizes->units, space->row) : 0.0);

    for (int i = first; i < sizes->n && i < first + sizes->columns; i++) {
        double w = beside_column(sizes, i - first),
               h = sizes->heading != NULL ? sizes->heading[i] : 0.0;

        boxes->heading[i] = (struct box){ x, y + heading - layout_whole(sizes->units, h), w, h };
        boxes->part[i] = (struct box){ x, y + heading + gap, sizes->part[i].w, sizes->part[i].h };
        boxes->width = fmax(boxes->width, x + w);
        x += w + layout_units(sizes->units, space->column);
    }
    boxes->height = y + heading + gap + highest(sizes, first, false);
}

void beside_make(struct beside_boxes *boxes, const struct beside_sizes *sizes, struct arena *a)
{
    *boxes = (struct beside_boxes){
        .heading = arena_alloc(a, (size_t)sizes->n, sizeof *boxes->heading),
        .part = arena_alloc(a, (size_t)sizes->n, sizeof *boxes->part),
    };
    for (int first = 0; first < sizes->n; first += sizes->columns)
        place_row(boxes, sizes, first);
}

double beside_room(struct units units, double width, int columns, double more)
{
    double inner = width - 2.0 * layout_units(units, LAYOUT_NARROW_MARGIN) - more;
    double room = (inner - (columns - 1) * layout_units(units, narrow.column)) / columns;

    return fmax(units.whole ? floor(room) : room, 0.0);
}
