/* SPDX-License-Identifier: MIT
 * Heatmaps and a page -> how many are side by side, and how many tokens share a cell. */
#include "draw/fit.h"

/* Of a sheet, whose titles are "L11H11". */
static const double SHEET_TITLE_EM = 5.0;
enum { SHEET_COLUMNS = 64 };

void fit_page(struct fit *fit, const struct heatmap_page *p)
{
    double px = p->format == DRAW_PNG ? p->dpi / 100.0 : p->format == DRAW_PDF ? 0.72 : 1.0;

    fit_init(fit, (struct units){ px, p->format != DRAW_PDF }, p->width_px, p->font_px);
    fit->whole_cells = p->format == DRAW_PNG;
    fit->labels = p->labels;
    fit->bars = p->bars;
    fit->one_bar = p->one_bar;
    fit->titles = p->titles;
    if (p->sheet) {
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
