/* SPDX-License-Identifier: MIT
 * A curve -> a picture on a sheet. */
#include "task/figure/figure_curve.h"

#include <math.h>

static int figure_curve_check_width(const struct figure_args *figure, const struct sheet *sheet,
                                    struct arena *a, struct err *e)
{
    double lack = figure->width != NULL ? curve_lacks_px(sheet, a) : 0.0, mm = 0.0;
    struct sheet wider = *sheet;

    /* Other numbers may stand on a wider page, and be longer. */
    for (double more = lack; more > 0.0; more = curve_lacks_px(&wider, a)) {
        mm = ceil((wider.width_px + more) * 25.4 / 100.0);
        wider.width_px = mm * 100.0 / 25.4;
    }
    return lack == 0.0 ? 0 :
           err_set(e, ERR_USAGE, "--width %s: labels leave no room for lines; expected at least "
                   "%.0fmm, or a smaller --font-size", figure->width, mm);
}

int figure_draw_curve(const struct session *session, const struct figure_args *figure,
                      const struct curve *curve, const char *caption,
                      const struct metadata *metadata, const struct output *output,
                      const char *path, struct arena *a, struct err *e)
{
    const struct part part = curve_part(curve);
    struct sheet sheet = figure_sheet(figure, &part, caption, metadata);

    sheet.terminal = &output->terminal;
    if (figure_curve_check_width(figure, &sheet, a, e) != 0)
        return -1;
    return sheet_write(&sheet, figure_format(output), path, session->env->warn, e);
}
