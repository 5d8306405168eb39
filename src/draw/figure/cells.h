/* SPDX-License-Identifier: MIT
 * The numbers of heatmaps -> ranges, and indices into a colour map. */
#ifndef DRAW_CELLS_H
#define DRAW_CELLS_H

#include "draw/figure/heatmap.h"

/* range[n_panels] = the numbers at the ends of each panel's colours. */
void cells_ranges(const struct heatmaps *maps, struct scale_range *range, struct arena *a);

/* Whether all panels have the same range, so that one colour bar shows it. */
bool cells_have_one_range(const struct heatmaps *maps);

/* The range of that bar. */
struct scale_range cells_common_range(const struct heatmaps *maps,
                                      const struct scale_range *range);

/* index [n_rows, n_cols] out: 0..255, or CELL_MASKED. */
void cells_index(const struct heatmaps *maps, const struct panel *panel,
                 struct scale_range range, unsigned short *index);

/* Whether at least this share of its visible cells, `most` in 0..1, have colours within one
 * sixteenth of the map. */
bool cells_are_plain(const struct heatmaps *maps, const struct panel *panel,
                     struct scale_range range, double most);

#endif
