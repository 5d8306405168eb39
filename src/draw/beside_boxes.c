/* SPDX-License-Identifier: MIT
 * Sizes of parts and headings to boxes; no pixels, no fonts. */
#include "draw/beside_boxes.h"

#include <math.h>

/* Pixels at 100 dpi. */
static const struct spacing { double column, row, heading; }
    wide = { 40, 28, 8 }, narrow = { 14, 12, 4 };

static const struct spacing *spacing_of(bool is_narrow)
{
    return is_narrow ? &narrow : &wide;
}

double beside_column(const struct beside_sizes *s, int column)
{
    double widest = 0.0;

    for (int i = column; i < s->n; i += s->columns)
        widest = fmax(widest, s->part[i].w);
    return layout_whole(s->units, widest);
}

/* Of those of a row, which begins with the first-th part. */
static double highest(const struct beside_sizes *s, int first, bool heading)
{
    double h = 0.0;

    for (int i = first; i < s->n && i < first + s->columns; i++)
        h = fmax(h, heading ? s->heading[i] : s->part[i].h);
    return layout_whole(s->units, h);
}

static void place_row(struct beside_boxes *b, const struct beside_sizes *s, int first)
{
    const struct spacing *space = spacing_of(s->narrow);
    double heading = s->heading != NULL ? highest(s, first, true) : 0.0, x = 0.0;
    double gap = heading > 0.0 ? layout_units(s->units, space->heading) : 0.0;
    double y = b->height + (first > 0 ? layout_units(s->units, space->row) : 0.0);

    for (int i = first; i < s->n && i < first + s->columns; i++) {
        double w = beside_column(s, i - first), h = s->heading != NULL ? s->heading[i] : 0.0;

        b->heading[i] = (struct box){ x, y + heading - layout_whole(s->units, h), w, h };
        b->part[i] = (struct box){ x, y + heading + gap, s->part[i].w, s->part[i].h };
        b->width = fmax(b->width, x + w);
        x += w + layout_units(s->units, space->column);
    }
    b->height = y + heading + gap + highest(s, first, false);
}

void beside_make(struct beside_boxes *b, const struct beside_sizes *s, struct arena *a)
{
    *b = (struct beside_boxes){
        .heading = arena_alloc(a, (size_t)s->n, sizeof *b->heading),
        .part = arena_alloc(a, (size_t)s->n, sizeof *b->part),
    };
    for (int first = 0; first < s->n; first += s->columns)
        place_row(b, s, first);
}

double beside_room(struct units units, double width, int columns, double more)
{
    double inner = width - 2.0 * layout_units(units, LAYOUT_NARROW_MARGIN) - more;
    double room = (inner - (columns - 1) * layout_units(units, narrow.column)) / columns;

    return fmax(units.whole ? floor(room) : room, 0.0);
}
