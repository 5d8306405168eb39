/* SPDX-License-Identifier: MIT
 * A panel's numbers to cells, and its labels and ticks to two sheets that all
 * panels of a figure share. */
#include <math.h>
#include <string.h>

#include "draw/draw_priv.h"

/* ---- ranges ---- */

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

static void widen(struct range *r, float v)
{
    r->lo = !r->any || v < r->lo ? v : r->lo;
    r->hi = !r->any || v > r->hi ? v : r->hi;
    r->any = true;
}

static struct range data_range(const struct figure *f, const struct panel *p)
{
    struct range r = { 0.0f, 0.0f, false };

    for (int i = 0; i < p->n_rows; i++) {
        const float *row = p->value + (size_t)i * (size_t)p->n_cols;
        float by = divisor(f->scale, row, p->n_cols);

        for (int j = 0; j < p->n_cols; j++)
            if (isfinite(row[j]))
                widen(&r, row[j] / by);
    }
    return r;
}

void heatmap_ranges(const struct figure *f, struct range *range)
{
    struct range all = { 0.0f, 0.0f, false };

    for (int i = 0; i < f->n_panels; i++) {
        range[i] = data_range(f, &f->panels[i]);
        if (range[i].any) {
            widen(&all, range[i].lo);
            widen(&all, range[i].hi);
        }
    }
    for (int i = 0; i < f->n_panels; i++) {
        if (f->shared && range[i].any)
            range[i] = all;
        if (!isnan(f->vmin))
            range[i].lo = f->vmin;
        if (!isnan(f->vmax))
            range[i].hi = f->vmax;
    }
}

void heatmap_index(const struct figure *f, const struct panel *p, struct range r,
                   unsigned short *index)
{
    for (int i = 0; i < p->n_rows; i++) {
        size_t at = (size_t)i * (size_t)p->n_cols;
        float by = divisor(f->scale, p->value + at, p->n_cols);

        for (int j = 0; j < p->n_cols; j++) {
            float v = p->value[at + (size_t)j];

            index[at + (size_t)j] = (unsigned short)
                (isnan(v) ? CELL_MASKED :
                 scale_index(f->scale, v / by, r.lo, r.hi));
        }
    }
}

/* ---- axes ---- */

void heatmap_axis(struct axis *x, const struct figure *f, bool rows, int n_cells,
                  double cell, struct text *t)
{
    const struct label_list *list = rows ? &f->rows : &f->cols;
    enum role role = rows ? ROLE_ROW : ROLE_COL;

    *x = (struct axis){ .step = layout_label_step(cell, text_line_height(t, role)) };
    x->piece = arena_alloc(t->arena, (size_t)n_cells / (size_t)x->step + 1,
                           sizeof *x->piece);
    for (long c = 0; c < n_cells && c * f->pool < list->n; c += x->step) {
        long i = c * f->pool;           /* a cell bears its first token's name */
        const char *s = list->text[i];
        size_t n = list->size != NULL ? list->size[i] : strlen(s);
        const struct piece *p = text_line(t, role, label_clean(t->arena, s, n,
                                                               LABEL_CHARS));

        x->piece[x->n++] = p;
        x->longest = fmax(x->longest, text_width(p));
    }
}

/* The first unit of a line of this width, centred; on a whole pixel in a PNG. */
static double line_at(const struct text *t, double centre, double line)
{
    double at = centre - line / 2.0;

    return t->vector ? at : floor(at + 0.5);
}

static double snap(const struct text *t, double at)
{
    return t->vector ? at : round(at);
}

/* Ticks leave no gap to the frame, which is l->line wide. */
static void fill_tick(cairo_t *cr, double x, double y, double w, double h)
{
    cairo_set_source_rgb(cr, 0.5, 0.5, 0.5);
    cairo_rectangle(cr, x, y, w, h);
    cairo_fill(cr);
}

/*
 * Sheets reach a line of text beyond the cells at both ends: labels of small
 * cells need it.  The row sheet's right edge lies at the cells' left edge.
 */
cairo_surface_t *heatmap_row_sheet(const struct page *p, const struct layout *l,
                                   const struct axis *x, const struct text *t,
                                   double cell)
{
    double pad = ceil(text_line_height(t, ROLE_ROW));
    double beyond = l->line + l->tick + l->label_gap;
    double w = ceil(x->longest) + beyond, h = l->panel[0].h + 2.0 * pad;
    cairo_surface_t *sheet = page_sheet(p, w, h);
    cairo_t *cr = cairo_create(sheet);

    for (int i = 0; i < x->n; i++) {
        double centre = pad + (i * x->step + 0.5) * cell;

        fill_tick(cr, w - l->line - l->tick, line_at(t, centre, l->line), l->tick,
                  l->line);
        text_draw_line(t, cr, x->piece[i],
                       snap(t, w - beyond - text_width(x->piece[i])),
                       snap(t, centre + text_middle(t, ROLE_ROW)),
                       x->step * cell);
    }
    cairo_destroy(cr);
    return sheet;
}

/* The column sheet's upper edge lies at the cells' lower edge. */
cairo_surface_t *heatmap_col_sheet(const struct page *p, const struct layout *l,
                                   const struct axis *x, const struct text *t,
                                   double cell)
{
    double pad = ceil(text_line_height(t, ROLE_COL));
    double beyond = l->line + l->tick + l->label_gap;
    double w = l->panel[0].w + 2.0 * pad, h = ceil(x->longest) + beyond;
    cairo_surface_t *sheet = page_sheet(p, w, h);
    cairo_t *cr = cairo_create(sheet);

    for (int i = 0; i < x->n; i++) {
        double centre = pad + (i * x->step + 0.5) * cell;

        fill_tick(cr, line_at(t, centre, l->line), l->line, l->line, l->tick);
        text_draw_turned(t, cr, x->piece[i],
                         snap(t, centre + text_middle(t, ROLE_COL)), beyond,
                         x->step * cell);
    }
    cairo_destroy(cr);
    return sheet;
}
