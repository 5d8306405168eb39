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

void fit_init(struct fit *fit, struct units units, double width_px, double font_px)
{
    *fit = (struct fit){ .units = units, .font = font_px * units.px, .labels = true,
                         .bars = true, .titles = true, .most = FIT_COLUMNS,
                         .title_em = TITLE_EM,
                         .width = layout_units(units, width_px) -
                                  2.0 * layout_units(units, LAYOUT_NARROW_MARGIN) };
}

double fit_label(const struct fit *fit, bool cut)
{
    return (cut ? 1.0 : 2.0) * widest.label * fit->width;
}

double fit_title(const struct fit *fit)
{
    return fit->title_em * fit->font;
}

static double room_beside(const struct fit *fit, const struct beside *beside, int n_panels,
                          int columns)
{
    const struct grid_sizes sizes = {
        .units = fit->units, .n_panels = n_panels, .columns = columns, .n_rows = 1, .n_cols = 1,
        .row_label = fit->labels ? beside->label * fit->width : 0.0, .label_h = 1.1 * fit->font,
        .row_name = fit->labels ? 1.65 * fit->font : 0.0,
        .value_w = fit->bars ? beside->value_em * fit->font : 0.0,
        .value_h = fit->bars ? 1.1 * fit->font : 0.0, .one_bar = fit->one_bar, .narrow = true,
    };

    return grid_fit(&sizes, fit->width);
}

double fit_room(const struct fit *fit, int n_panels, int columns)
{
    return room_beside(fit, &widest, n_panels, columns);
}

static bool is_legible(const struct fit *fit, int n_panels, int columns)
{
    double room = room_beside(fit, &usual, n_panels, columns);

    if (fit_room(fit, n_panels, columns) < layout_units(fit->units, LEAST))
        return false;
    if (fit->titles && columns > 1 && room < 0.6 * fit_title(fit))
        return false;
    return room >= layout_units(fit->units, LEGIBLE);
}

int fit_columns(const struct fit *fit, int n_panels)
{
    int most = n_panels < fit->most ? n_panels : fit->most, best;

    while (most > 1 && !is_legible(fit, n_panels, most))
        most--;
    best = most;
    for (int columns = most; 2 * columns > most; columns--)
        if ((columns - n_panels % columns) % columns < (best - n_panels % best) % best)
            best = columns;
    return best;
}

int fit_pool(const struct fit *fit, double room, int n_cols)
{
    double least = fit->whole_cells ? 1.0 : LEAST_CELL * fit->units.px;
    int pool = 1;

    if (room < layout_units(fit->units, LEAST))
        return 0;
    while ((n_cols + pool - 1) / pool * least > room)
        pool *= 2;
    return pool;
}

double fit_cell(const struct fit *fit, double room, int n_cols)
{
    return fit->whole_cells ? fmax(floor(room / n_cols), 1.0) : room / n_cols;
}
