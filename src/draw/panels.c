/* SPDX-License-Identifier: MIT
 * Sizes of fields and texts -> boxes of panels; no pixels, no fonts. */
#include "draw/panels.h"

#include <math.h>

/* Pixels at 100 dpi. */
enum { GUTTER = 28, NARROW_GUTTER = 10, LEGEND_GAP = 12, MOST_COLUMNS = 8 };

void panels_make(struct panels *p, const struct panels_sizes *s)
{
    double gutter = layout_units(s->units, s->narrow ? NARROW_GUTTER : GUTTER), all_h, grid_w;
    int rows;

    *p = (struct panels){ .columns = s->columns < s->n ? s->columns : s->n };
    rows = (s->n + p->columns - 1) / p->columns;
    p->step_x = s->left + s->field_w + s->right + gutter;
    p->step_y = s->above + s->field_h + s->below + gutter;
    grid_w = p->columns * p->step_x - gutter;
    all_h = rows * p->step_y - gutter;
    p->width = layout_whole(s->units, fmax(grid_w, s->legend_w));
    p->first = (struct box){ s->left + (p->width - grid_w) / 2.0, s->above, s->field_w,
                             s->field_h };
    p->height = all_h;
    if (s->legend_h > 0.0) {
        p->legend = (struct box){ (p->width - s->legend_w) / 2.0,
                                  all_h + layout_units(s->units, LEGEND_GAP), s->legend_w,
                                  s->legend_h };
        p->height = p->legend.y + s->legend_h;
    }
    p->height = layout_whole(s->units, p->height);
}

struct box panels_field(const struct panels *p, struct box at, int i)
{
    return (struct box){ at.x + p->first.x + i % p->columns * p->step_x,
                         at.y + p->first.y + i / p->columns * p->step_y, p->first.w,
                         p->first.h };
}

struct box panels_legend(const struct panels *p, struct box at)
{
    return (struct box){ at.x + p->legend.x, at.y + p->legend.y, p->legend.w, p->legend.h };
}

double panels_room(struct units units, double width, int columns)
{
    double gutter = layout_units(units, NARROW_GUTTER);
    double inner = width - 2.0 * layout_units(units, LAYOUT_NARROW_MARGIN);

    return (inner - (columns - 1) * gutter) / columns;
}

int panels_columns(struct units units, double width, int n, double least)
{
    int most = n < MOST_COLUMNS ? n : MOST_COLUMNS, best = 0, empty = 0;

    for (int columns = most; columns >= 1; columns--) {
        int left = (columns - n % columns) % columns;

        if (panels_room(units, width, columns) < least)
            continue;
        if (best == 0 || (left < empty && 2 * columns > best)) {
            best = columns;
            empty = left;
        }
    }
    return best;
}
