/* SPDX-License-Identifier: MIT
 * Counts and text sizes to boxes; no pixels, no fonts.
 *
 * A panel's slot, the same for all panels of a figure:
 *
 *              | title of the panel |
 *     labels ' |   cells (box)      | bar  0.87
 *              '  '  '  '  '
 *              labels, turned              0.00 */
#include <math.h>

#include "draw/draw_priv.h"

/* Pixels at 100 dpi. */
enum { MARGIN = 14, GUTTER = 20, LINE = 1, TICK = 3, LABEL_GAP = 3, BAR_GAP = 8,
       BAR = 10, VALUE_GAP = 4, PANEL_GAP = 5, TITLE_GAP = 12, CAPTION_GAP = 14,
       READABLE = 300, SIDE = 600 };

/* The most that a picture may have; cairo's own limit is 32,767. */
static const double SIDE_MAX = 32000.0, AREA_MAX = 4e8;

static double units(const struct sizes *s, double px)
{
    double u = px * s->px;

    return s->whole ? fmax(round(u), 1.0) : u;
}

static double whole(const struct sizes *s, double u)
{
    return s->whole ? ceil(u) : u;
}

/* What lies around the cells of a panel. */
struct around { double left, right, above, below; };

static double beside(const struct sizes *s, const struct layout *l, double label)
{
    return label > 0.0 ? l->line + l->tick + l->label_gap + whole(s, label) : l->line;
}

static struct around around(const struct sizes *s, const struct layout *l)
{
    double cells_w = s->n_cols * s->cell, cells_h = s->n_rows * s->cell;
    double over = whole(s, fmax(s->panel_w - cells_w, 0.0) / 2.0);
    double bar = s->value_h > 0.0 ? l->bar_gap + l->bar_w + l->value_gap +
        whole(s, s->value_w) : 0.0;
    /* Labels of small cells, and a bar's two values, reach over a low panel. */
    double label = fmax(s->label_h - s->cell, 0.0) / 2.0;
    double values = fmax(2.0 * s->value_h - cells_h, 0.0) / 2.0;
    double reach = whole(s, fmax(label, values));
    struct around a;

    a.left = fmax(beside(s, l, s->row_label), over);
    a.right = fmax(l->line + bar, over);
    a.below = fmax(beside(s, l, s->col_label), reach);
    a.above = fmax(l->line + (s->panel_h > 0.0 ?
                   l->panel_gap + whole(s, s->panel_h) : 0.0), reach);
    return a;
}

void layout_make(struct layout *l, const struct sizes *s, struct arena *arena)
{
    int columns = s->columns < s->n_panels ? s->columns : s->n_panels;
    int rows = (s->n_panels + columns - 1) / columns;
    double gutter = units(s, GUTTER), margin = units(s, MARGIN);
    double cells_w = s->n_cols * s->cell, cells_h = s->n_rows * s->cell;
    double slot_w, slot_h, grid_w, grid_h, inner, x0, y0;
    struct around a;

    *l = (struct layout){
        .line = units(s, LINE), .tick = units(s, TICK),
        .label_gap = units(s, LABEL_GAP), .bar_gap = units(s, BAR_GAP),
        .bar_w = units(s, BAR), .value_gap = units(s, VALUE_GAP),
        .panel_gap = units(s, PANEL_GAP), .margin = margin
    };
    a = around(s, l);
    slot_w = a.left + cells_w + a.right;
    slot_h = a.above + cells_h + a.below;
    grid_w = columns * slot_w + (columns - 1) * gutter;
    grid_h = rows * slot_h + (rows - 1) * gutter;
    inner = grid_w;
    if (s->caption)
        inner = fmax(inner, units(s, READABLE));
    if (s->title_h > 0.0)
        inner = fmax(inner, fmin(whole(s, s->title_w), units(s, READABLE)));
    l->width = inner + 2.0 * margin;
    l->title = (struct box){ margin, margin, inner, whole(s, s->title_h) };
    y0 = margin;
    if (s->title_h > 0.0)
        y0 += l->title.h + units(s, TITLE_GAP);
    x0 = margin + whole(s, (inner - grid_w) / 2.0);
    l->panel = arena_alloc(arena, (size_t)s->n_panels, sizeof *l->panel);
    for (int i = 0; i < s->n_panels; i++)
        l->panel[i] = (struct box){
            x0 + i % columns * (slot_w + gutter) + a.left,
            y0 + i / columns * (slot_h + gutter) + a.above,
            cells_w, cells_h
        };
    l->height = y0 + grid_h + margin;
    if (s->caption)
        l->caption = (struct box){ margin, y0 + grid_h + units(s, CAPTION_GAP),
                                   inner, 0.0 };
}

void layout_add_caption(struct layout *l, double height)
{
    l->caption.h = height;
    l->height = l->caption.y + height + l->margin;
}

int layout_label_step(double cell, double label_h)
{
    int step = 1;

    /* Powers of two, as pools are. */
    while (step * cell < label_h && step < 1 << 24)
        step *= 2;
    return step;
}

double layout_label_px(int cell_px)
{
    /* A smaller font rather than labels on every second token only. */
    return cell_px < 9 ? 9.0 : fmin(cell_px / 1.2, 11.0);
}

/* ---- the plan ---- */

/* Labels and a bar beside cells, titles and labels above and below: a guess. */
enum { BESIDE = 190, BEYOND = 170 };

static bool fits(int n_rows, int n_cols, int n_panels, int columns, int cell_px,
                 int pool, int dpi)
{
    double px = dpi / 100.0, cell = fmax(round(cell_px * px), 1.0);
    double across = columns < n_panels ? columns : n_panels;
    double down = ceil(n_panels / across);
    double w = across * (ceil((double)n_cols / pool) * cell + BESIDE * px);
    double h = down * (ceil((double)n_rows / pool) * cell + BEYOND * px) + 200 * px;

    return w <= SIDE_MAX && h <= SIDE_MAX && w * h <= AREA_MAX;
}

void draw_plan(int n_rows, int n_cols, int n_panels, int columns, int want_cell_px,
               int dpi, int *cell_px, int *pool)
{
    int n = n_rows > n_cols ? n_rows : n_cols;
    /* One or two panels a row have room for larger cells. */
    int roomy = (columns < n_panels ? columns : n_panels) <= 2 ? 480 : 288;
    int cell = want_cell_px;

    *pool = 1;
    if (cell <= 0) {
        cell = roomy / n < 16 ? 16 : roomy / n > 24 ? 24 : roomy / n;
        cell = SIDE / n < cell ? SIDE / n : cell;
        cell = cell < 1 ? 1 : cell;
        while ((n - 1) / *pool + 1 > SIDE)
            *pool *= 2;
        while (cell > 1 &&
               !fits(n_rows, n_cols, n_panels, columns, cell, *pool, dpi))
            cell--;
    }
    while (*pool < n && !fits(n_rows, n_cols, n_panels, columns, cell, *pool, dpi))
        *pool *= 2;
    *cell_px = cell;
}
