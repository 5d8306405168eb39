/* SPDX-License-Identifier: MIT
 * Sizes of fields and texts -> boxes of panels; no pixels, no fonts. */
#include "draw/figure/panels.h"

#include <math.h>

/* Pixels at 100 dpi. */
enum { GUTTER = 28, NARROW_GUTTER = 10, LEGEND_GAP = 12, MOST_COLUMNS = 8 };

void panels_make(struct panels *panels, const struct panels_sizes *sizes)
{
    double gutter = layout_units(sizes->units,
                                 sizes->narrow ? NARROW_GUTTER : GUTTER), all_h, grid_w;
    int rows;

    *panels = (struct panels){ .columns = sizes->columns < sizes->n ? sizes->columns : sizes->n };
    rows = (sizes->n + panels->columns - 1) / panels->columns;
    panels->step_x = sizes->left + sizes->field_w + sizes->right + gutter;
    panels->step_y = sizes->above + sizes->field_h + sizes->below + gutter;
    grid_w = panels->columns * panels->step_x - gutter;
    all_h = rows * panels->step_y - gutter;
    panels->width = layout_whole(sizes->units, fmax(grid_w, sizes->legend_w));
    panels->first = (struct box){ sizes->left + (panels->width - grid_w) / 2.0, sizes->above,
                                  sizes->field_w, sizes->field_h };
    panels->height = all_h;
    if (sizes->legend_h > 0.0) {
        panels->legend = (struct box){ (panels->width - sizes->legend_w) / 2.0,
                                       all_h + layout_units(sizes->units, LEGEND_GAP),
                                       sizes->legend_w, sizes->legend_h };
        panels->height = panels->legend.y + sizes->legend_h;
    }
    panels->height = layout_whole(sizes->units, panels->height);
}

struct box panels_field(const struct panels *panels, struct box at, int i)
{
    return (struct box){ at.x + panels->first.x + i % panels->columns * panels->step_x,
                         at.y + panels->first.y + i / panels->columns * panels->step_y,
                         panels->first.w, panels->first.h };
}

struct box panels_legend(const struct panels *panels, struct box at)
{
    return (struct box){ at.x + panels->legend.x, at.y + panels->legend.y, panels->legend.w,
                         panels->legend.h };
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
