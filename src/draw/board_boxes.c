/* SPDX-License-Identifier: MIT
 * Counts and text sizes to the boxes of a board; no pixels, no fonts. */
#include "draw/board_boxes.h"

#include <math.h>

/* Pixels at 100 dpi. */
enum { LINE = 1, LABEL_GAP = 5, BAR_GAP = 10, BAR = 10, VALUE_GAP = 4, LEGEND_GAP = 10,
       LOWEST_BAR = 60, HIGHEST_BAR = 300 };

static double left_of(const struct board_sizes *s)
{
    double label = s->row_label > 0.0 ? layout_whole(s->units, s->row_label) +
                                        layout_units(s->units, LABEL_GAP) : 0.0;

    return layout_units(s->units, LINE) + label + layout_whole(s->units, s->row_name);
}

static double board_boxes_above(const struct board_sizes *s)
{
    double label = s->col_label > 0.0 ? layout_whole(s->units, s->col_label) +
                                        layout_units(s->units, LABEL_GAP) : 0.0;

    return layout_units(s->units, LINE) + label + layout_whole(s->units, s->col_name);
}

static double right_of(const struct board_sizes *s)
{
    double line = layout_units(s->units, LINE);

    return s->value_w > 0.0 ? line + layout_units(s->units, BAR_GAP) +
                              layout_units(s->units, BAR) +
                              layout_units(s->units, VALUE_GAP) +
                              layout_whole(s->units, s->value_w) : line;
}

double board_boxes_room(const struct board_sizes *s, double width)
{
    return (width - left_of(s) - right_of(s) + s->gap) / s->n_cols - s->gap;
}

static void place_bar(struct board_boxes *b, const struct board_sizes *s, double cells_w,
                      double cells_h)
{
    double most = layout_units(s->units, HIGHEST_BAR);
    double least = layout_units(s->units, LOWEST_BAR);

    b->bar_gap = layout_units(s->units, BAR_GAP);
    b->bar_w = layout_units(s->units, BAR);
    b->value_gap = layout_units(s->units, VALUE_GAP);
    b->bar = (struct box){ b->first.x + cells_w + b->line + b->bar_gap,
                           b->first.y - b->name_h, b->bar_w,
                           fmax(fmin(cells_h, most), least) };
}

void board_boxes_make(struct board_boxes *b, const struct board_sizes *s)
{
    double cells_w, cells_h;

    *b = (struct board_boxes){ .line = layout_units(s->units, LINE),
                               .label_gap = layout_units(s->units, LABEL_GAP),
                               .name_h = layout_whole(s->units, s->name_h) };
    b->step_x = s->cell_w + s->gap;
    b->step_y = s->cell_h + b->name_h + s->gap;
    cells_w = s->n_cols * b->step_x - s->gap;
    cells_h = s->n_rows * b->step_y - s->gap;
    b->first = (struct box){ left_of(s), board_boxes_above(s) + b->name_h, s->cell_w, s->cell_h };
    b->width = b->first.x + cells_w + right_of(s);
    b->height = board_boxes_above(s) + cells_h + b->line;
    if (s->value_w > 0.0) {
        place_bar(b, s, cells_w, cells_h);
        b->height = fmax(b->height, b->bar.y + b->bar.h + s->value_h);
    }
    if (s->legend_h > 0.0) {
        double gap = layout_units(s->units, LEGEND_GAP);

        b->legend = (struct box){ b->first.x, b->height + gap, s->legend_w, s->legend_h };
        b->width = fmax(b->width, b->legend.x + s->legend_w);
        b->height += gap + s->legend_h;
    }
}

struct box board_boxes_cell(const struct board_boxes *b, struct box at, int row, int col)
{
    return (struct box){ at.x + b->first.x + col * b->step_x,
                         at.y + b->first.y + row * b->step_y, b->first.w, b->first.h };
}
