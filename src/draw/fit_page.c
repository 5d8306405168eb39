/* SPDX-License-Identifier: MIT
 * Heatmaps and a page -> how many are side by side, and how many tokens share a cell. */
#include "draw/fit.h"

/* Of a sheet, whose titles are "L11H11". */
static const double SHEET_TITLE_EM = 5.0;
enum { SHEET_COLUMNS = 64 };

void fit_page(struct fit *fit, const struct heatmap_page *page)
{
    double px = page->format == DRAW_PNG ? page->dpi / 100.0 : page->format == DRAW_PDF ? 0.72 :
                1.0;

    fit_init(fit, (struct units){ px, page->format != DRAW_PDF }, page->width_px, page->font_px);
    fit->whole_cells = page->format == DRAW_PNG;
    fit->labels = page->labels;
    fit->bars = page->bars;
    fit->one_bar = page->one_bar;
    fit->titles = page->titles;
    if (page->sheet) {
        fit->most = SHEET_COLUMNS;
        fit->title_em = SHEET_TITLE_EM;
    }
}

int heatmap_plan_page(const struct heatmap_page *page, int n_cols, int n_panels, int *columns,
                      int *pool, double *least_px)
{
    struct heatmap_page wider = *page;
    struct fit fit;

    fit_page(&fit, page);
    if (*columns == 0)
        *columns = fit_columns(&fit, n_panels);
    *pool = fit_pool(&fit, fit_room(&fit, n_panels, *columns), n_cols);
    if (*pool > 0)
        return 0;
    do {
        wider.width_px += 2.0;
        fit_page(&fit, &wider);
    } while (fit_pool(&fit, fit_room(&fit, n_panels, *columns), n_cols) == 0);
    *least_px = wider.width_px;
    return -1;
}
