/* SPDX-License-Identifier: MIT
 * Counts and text sizes to the boxes of a board; no pixels, no fonts. */
#include "draw/figure/board_boxes.h"

#include <math.h>

/* Pixels at 100 dpi. */
enum { LINE = 1, LABEL_GAP = 5, BAR_GAP = 10, BAR = 10, VALUE_GAP = 4, LEGEND_GAP = 10,
       LOWEST_BAR = 60, HIGHEST_BAR = 300 };

static double left_of(const struct board_sizes *sizes)
{
    double label = sizes->row_label > 0.0 ? layout_whole(sizes->units, sizes->row_label) +
                                            layout_units(sizes->units, LABEL_GAP) : 0.0;

    return layout_units(sizes->units, LINE) + label + layout_whole(sizes->units, sizes->row_name);
}

static double board_boxes_above(const struct board_sizes *sizes)
{
    double label = sizes->col_label > 0.0 ? layout_whole(sizes->units, sizes->col_label) +
                                            layout_units(sizes->units, LABEL_GAP) : 0.0;

    return layout_units(sizes->units, LINE) + label + layout_whole(sizes->units, sizes->col_name);
}

static double right_of(const struct board_sizes *sizes)
{
    double line = layout_units(sizes->units, LINE);

    return sizes->value_w > 0.0 ? line + layout_units(sizes->units, BAR_GAP) +
                                  layout_units(sizes->units, BAR) +
                                  layout_units(sizes->units, VALUE_GAP) +
                                  layout_whole(sizes->units, sizes->value_w) : line;
}

double board_boxes_room(const struct board_sizes *sizes, double width)
{
    return (width - left_of(sizes) - right_of(sizes) + sizes->gap) / sizes->n_cols - sizes->gap;
}

static void place_bar(struct board_boxes *boxes, const struct board_sizes *sizes, double cells_w,
                      double cells_h)
{
    double most = layout_units(sizes->units, HIGHEST_BAR);
    double least = layout_units(sizes->units, LOWEST_BAR);

    boxes->bar_gap = layout_units(sizes->units, BAR_GAP);
    boxes->bar_w = layout_units(sizes->units, BAR);
    boxes->value_gap = layout_units(sizes->units, VALUE_GAP);
    boxes->bar = (struct box){ boxes->first.x + cells_w + boxes->line + boxes->bar_gap,
                               boxes->first.y - boxes->name_h, boxes->bar_w,
                               fmax(fmin(cells_h, most), least) };
}

void board_boxes_make(struct board_boxes *boxes, const struct board_sizes *sizes)
{
    double cells_w, cells_h;

    *boxes = (struct board_boxes){ .line = layout_units(sizes->units, LINE),
                                   .label_gap = layout_units(sizes->units, LABEL_GAP),
                                   .name_h = layout_whole(sizes->units, sizes->name_h) };
    boxes->step_x = sizes->cell_w + sizes->gap;
    boxes->step_y = sizes->cell_h + boxes->name_h + sizes->gap;
    cells_w = sizes->n_cols * boxes->step_x - sizes->gap;
    cells_h = sizes->n_rows * boxes->step_y - sizes->gap;
    boxes->first = (struct box){ left_of(sizes), board_boxes_above(sizes) + boxes->name_h,
                                 sizes->cell_w, sizes->cell_h };
    boxes->width = boxes->first.x + cells_w + right_of(sizes);
    boxes->height = board_boxes_above(sizes) + cells_h + boxes->line;
    if (sizes->value_w > 0.0) {
        place_bar(boxes, sizes, cells_w, cells_h);
        boxes->height = fmax(boxes->height, boxes->bar.y + boxes->bar.h + sizes->value_h);
    }
    if (sizes->legend_h > 0.0) {
        double gap = layout_units(sizes->units, LEGEND_GAP);

        boxes->legend = (struct box){ boxes->first.x, boxes->height + gap, sizes->legend_w,
                                      sizes->legend_h };
        boxes->width = fmax(boxes->width, boxes->legend.x + sizes->legend_w);
        boxes->height += gap + sizes->legend_h;
    }
}

struct box board_boxes_cell(const struct board_boxes *boxes, struct box at, int row, int col)
{
    return (struct box){ at.x + boxes->first.x + col * boxes->step_x,
                         at.y + boxes->first.y + row * boxes->step_y, boxes->first.w,
                         boxes->first.h };
}
