/* SPDX-License-Identifier: MIT
 * Ranges and indices of the cells of heatmaps. */
#include "draw/cells.h"

#include <math.h>

static float row_max(const float *row, int n)
{
    float max = -INFINITY;

    for (int i = 0; i < n; i++)
        if (isfinite(row[i]) && row[i] > max)
            max = row[i];
    return max;
}

/* What a row is divided by: its maximum, where that can be done. */
static float divisor(enum scale s, const float *row, int n)
{
    float max = s == SCALE_ROW ? row_max(row, n) : 1.0f;

    return max > 0.0f ? max : 1.0f;
}

static struct scale_range data_range(const struct heatmaps *maps, const struct panel *p)
{
    struct scale_range range = { 0.0f, 0.0f, false };

    for (int i = 0; i < p->n_rows; i++) {
        const float *row = p->value + (size_t)i * (size_t)p->n_cols;
        float by = divisor(maps->scale, row, p->n_cols);

        for (int j = 0; j < p->n_cols; j++)
            if (isfinite(row[j]))
                scale_widen(&range, row[j] / by);
    }
    return range;
}

void cells_ranges(const struct heatmaps *maps, struct scale_range *range)
{
    struct scale_range all = { 0.0f, 0.0f, false };

    for (int i = 0; i < maps->n_panels; i++) {
        range[i] = data_range(maps, &maps->panels[i]);
        if (range[i].any) {
            scale_widen(&all, range[i].lo);
            scale_widen(&all, range[i].hi);
        }
    }
    for (int i = 0; i < maps->n_panels; i++) {
        if (maps->shared && range[i].any)
            range[i] = all;
        if (!isnan(maps->vmin))
            range[i].lo = maps->vmin;
        if (!isnan(maps->vmax))
            range[i].hi = maps->vmax;
    }
}

void cells_index(const struct heatmaps *maps, const struct panel *panel,
                 struct scale_range range, unsigned short *index)
{
    for (int i = 0; i < panel->n_rows; i++) {
        size_t at = (size_t)i * (size_t)panel->n_cols;
        float by = divisor(maps->scale, panel->value + at, panel->n_cols);

        for (int j = 0; j < panel->n_cols; j++) {
            float value = panel->value[at + (size_t)j];

            index[at + (size_t)j] = (unsigned short)
                (isnan(value) ? CELL_MASKED :
                 scale_index(maps->scale, value / by, range.lo, range.hi));
        }
    }
}
