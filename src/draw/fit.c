/* SPDX-License-Identifier: MIT
 * The width of a page -> columns, widths of panels, tokens per cell. */
#include "draw/fit.h"

#include <math.h>

/* Pixels at 100 dpi: a panel that can be read, and the least that is drawn. */
enum { LEGIBLE = 36, LEAST = 16 };

/* Sizes of the font. */
static const double TITLE_EM = 9.0;

/* What stands beside the cells: the numbers of a bar in sizes of the font, labels as a share of
 * the page. */
static const struct beside { double value_em, label; }
    widest = { 4.5, 0.1 }, usual = { 2.5, 0.1 };

/* Of a cell that is not of whole pixels, in pixels at 100 dpi. */
static const double LEAST_CELL = 0.25;

void fit_init(struct fit *f, struct units units, double width_px, double font_px)
{
    *f = (struct fit){ .units = units, .font = font_px * units.px, .labels = true,
                       .bars = true, .titles = true, .most = FIT_COLUMNS,
                       .title_em = TITLE_EM,
                       .width = layout_units(units, width_px) -
                                2.0 * layout_units(units, LAYOUT_NARROW_MARGIN) };
}

double fit_label(const struct fit *f, bool cut)
{
    return (cut ? 1.0 : 2.0) * widest.label * f->width;
}

double fit_title(const struct fit *f)
{
    return f->title_em * f->font;
}

static double room_beside(const struct fit *f, const struct beside *beside, int n_panels,
                          int columns)
{
    const struct grid_sizes sizes = {
        .units = f->units, .n_panels = n_panels, .columns = columns, .n_rows = 1, .n_cols = 1,
        .row_label = f->labels ? beside->label * f->width : 0.0, .label_h = 1.1 * f->font,
        .row_name = f->labels ? 1.65 * f->font : 0.0,
        .value_w = f->bars ? beside->value_em * f->font : 0.0,
        .value_h = f->bars ? 1.1 * f->font : 0.0, .one_bar = f->one_bar, .narrow = true,
    };

    return grid_fit(&sizes, f->width);
}

double fit_room(const struct fit *f, int n_panels, int columns)
{
    return room_beside(f, &widest, n_panels, columns);
}

static bool is_legible(const struct fit *f, int n_panels, int columns)
{
    double room = room_beside(f, &usual, n_panels, columns);

    if (fit_room(f, n_panels, columns) < layout_units(f->units, LEAST))
        return false;
    if (f->titles && columns > 1 && room < 0.6 * fit_title(f))
        return false;
    return room >= layout_units(f->units, LEGIBLE);
}

int fit_columns(const struct fit *f, int n_panels)
{
    int most = n_panels < f->most ? n_panels : f->most, best;

    while (most > 1 && !is_legible(f, n_panels, most))
        most--;
    best = most;
    for (int columns = most; 2 * columns > most; columns--)
        if ((columns - n_panels % columns) % columns < (best - n_panels % best) % best)
            best = columns;
    return best;
}

int fit_pool(const struct fit *f, double room, int n_cols)
{
    double least = f->whole_cells ? 1.0 : LEAST_CELL * f->units.px;
    int pool = 1;

    if (room < layout_units(f->units, LEAST))
        return 0;
    while ((n_cols + pool - 1) / pool * least > room)
        pool *= 2;
    return pool;
}

double fit_cell(const struct fit *f, double room, int n_cols)
{
    return f->whole_cells ? fmax(floor(room / n_cols), 1.0) : room / n_cols;
}
