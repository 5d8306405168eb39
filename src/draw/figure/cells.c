/* SPDX-License-Identifier: MIT
 * Ranges and indices of the cells of heatmaps. */
#include "draw/figure/cells.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

static struct scale_range data_range(const struct heatmaps *maps, const struct panel *panel)
{
    struct scale_range range = { .any = false };

    for (int i = 0; i < panel->n_rows; i++) {
        const float *row = panel->value + (size_t)i * (size_t)panel->n_cols;
        float by = divisor(maps->scale, row, panel->n_cols);

        for (int j = 0; j < panel->n_cols; j++)
            if (isfinite(row[j]))
                scale_widen(&range, row[j] / by);
    }
    return range;
}

/* ---- where colours end before the data do ---- */

enum { HALF = 1 << 16 };

/* In the order of the numbers. */
static uint32_t sortable(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static float from_sortable(uint32_t key)
{
    uint32_t bits = key >> 31 ? key & ~(1u << 31) : ~key;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Some of the panels, whose cells are counted by one half of their bits. */
struct counting {
    const struct panel *panels;
    int n;
    uint64_t *count;            /* [HALF] */
};

/* By the upper halves; or, of those with this upper half, by the lower ones. */
static uint64_t count_halves(const struct counting *counting, bool lower, uint32_t upper)
{
    uint64_t all = 0;

    memset(counting->count, 0, HALF * sizeof *counting->count);
    for (int p = 0; p < counting->n; p++) {
        size_t n = (size_t)counting->panels[p].n_rows * (size_t)counting->panels[p].n_cols;

        for (size_t i = 0; i < n; i++) {
            uint32_t key = sortable(counting->panels[p].value[i]);

            if (!isfinite(counting->panels[p].value[i]) || (lower && key >> 16 != upper))
                continue;
            counting->count[lower ? key & (HALF - 1) : key >> 16]++;
            all++;
        }
    }
    return all;
}

/* The half at which the rank, from 1, is reached; takes the ranks before it off. */
static uint32_t find_rank(const struct counting *counting, uint64_t *rank)
{
    uint32_t half = 0;

    while (counting->count[half] < *rank)
        *rank -= counting->count[half++];
    return half;
}

/* The least value that this share of the cells do not exceed; there are some. */
static float quantile(const struct counting *counting, double share)
{
    uint64_t all = count_halves(counting, false, 0), rank = (uint64_t)ceil(share * (double)all);
    uint32_t upper;

    rank = rank < 1 ? 1 : rank > all ? all : rank;
    upper = find_rank(counting, &rank);
    count_halves(counting, true, upper);
    return from_sortable(upper << 16 | find_rank(counting, &rank));
}

/* The range ends there, unless nothing is left of it. */
static void clip(struct scale_range *range, const struct counting *counting, double share)
{
    float hi = range->any ? quantile(counting, share) : 0.0f;

    if (!range->any || hi <= range->lo || hi == range->hi)
        return;
    range->hi = hi;
    range->above = true;
}

static void clip_all(const struct heatmaps *maps, struct scale_range *range, struct arena *a)
{
    struct counting c = { maps->panels, maps->n_panels,
                          arena_alloc_raw(a, HALF, sizeof *c.count) };
    struct scale_range all = { .any = false };

    for (int i = 0; i < maps->n_panels; i++)
        if (maps->shared && range[i].any)
            all = range[i];
    if (maps->shared)
        clip(&all, &c, maps->clip);
    c.n = 1;
    for (int i = 0; i < maps->n_panels; i++, c.panels++)
        if (!maps->shared)
            clip(&range[i], &c, maps->clip);
        else if (range[i].any)
            range[i] = all;
}

/* ---- ranges ---- */

/* The ends that were given; what lies beyond them. */
static void set_ends(struct scale_range *range, float lo, float hi)
{
    range->below = range->any && lo > range->lo;
    range->above = range->any && hi < range->hi;
    range->lo = isnan(lo) ? range->lo : lo;
    range->hi = isnan(hi) ? range->hi : hi;
}

/* Of numbers with a sign, on a map that has a middle: that is 0. */
static void centre(struct scale_range *range)
{
    float most = fmaxf(-range->lo, range->hi);

    if (!range->any || range->lo >= 0.0f)
        return;
    range->above = range->above && most == range->hi;
    range->lo = -most;
    range->hi = most;
}

/* That which was found of more panels than these. */
static void set_given(const struct heatmaps *maps, struct scale_range *range)
{
    for (int i = 0; i < maps->n_panels; i++)
        if (data_range(maps, &maps->panels[i]).any)
            range[i] = *maps->range;
        else
            range[i] = (struct scale_range){ .any = false };
}

void cells_ranges(const struct heatmaps *maps, struct scale_range *range, struct arena *a)
{
    struct scale_range all = { .any = false };

    if (maps->range != NULL) {
        set_given(maps, range);
        return;
    }
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
        set_ends(&range[i], maps->vmin, maps->vmax);
    }
    if (maps->clip > 0.0)
        clip_all(maps, range, a);
    for (int i = 0; i < maps->n_panels; i++)
        if (maps->cmap->diverges && isnan(maps->vmin) && isnan(maps->vmax))
            centre(&range[i]);
}

bool cells_have_one_range(const struct heatmaps *maps)
{
    return maps->shared || (!isnan(maps->vmin) && !isnan(maps->vmax));
}

struct scale_range cells_common_range(const struct heatmaps *maps,
                                      const struct scale_range *range)
{
    struct scale_range all = range[0];

    for (int i = 1; i < maps->n_panels; i++) {
        bool below = all.below || range[i].below, above = all.above || range[i].above;

        all = all.any ? all : range[i];
        all.below = below;
        all.above = above;
    }
    return all;
}

void heatmap_share(struct heatmaps *maps, int n, struct arena *a)
{
    struct heatmaps all = maps[0];
    struct scale_range *range, *common = arena_alloc(a, 1, sizeof *common);
    struct panel *panels;
    size_t n_panels = 0;

    for (int i = 0; i < n; i++)
        n_panels += (size_t)maps[i].n_panels;
    panels = arena_alloc(a, n_panels, sizeof *panels);
    range = arena_alloc(a, n_panels, sizeof *range);
    all.n_panels = 0;
    all.panels = panels;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < maps[i].n_panels; j++)
            panels[all.n_panels++] = maps[i].panels[j];
    cells_ranges(&all, range, a);
    *common = cells_common_range(&all, range);
    for (int i = 0; i < n; i++)
        maps[i].range = common;
}

/* ---- cells ---- */

bool cells_are_plain(const struct heatmaps *maps, const struct panel *panel,
                     struct scale_range range, double most)
{
    enum { BINS = 16, COLOURS = 256 / BINS };
    uint64_t count[BINS] = { 0 }, all = 0, largest = 0;

    for (int i = 0; i < panel->n_rows; i++) {
        const float *row = panel->value + (size_t)i * (size_t)panel->n_cols;
        float by = divisor(maps->scale, row, panel->n_cols);

        for (int j = 0; j < panel->n_cols; j++)
            if (!isnan(row[j])) {
                count[scale_index(maps->scale, row[j] / by, range.lo, range.hi) / COLOURS]++;
                all++;
            }
    }
    for (int i = 0; i < BINS; i++)
        largest = count[i] > largest ? count[i] : largest;
    return all > 0 && (double)largest >= most * (double)all;
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
