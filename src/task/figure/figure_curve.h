/* SPDX-License-Identifier: MIT
 * A curve, lines over one axis -> a picture. */
#ifndef TASK_FIGURE_CURVE_H
#define TASK_FIGURE_CURVE_H

#include "draw/figure/curve.h"
#include "task/figure/figure.h"
#include "task/figure/format.h"

/* Draws it to path; metadata NULL: no metadata.  ERR_USAGE: --width leaves no room for the lines.
 * */
int figure_draw_curve(const struct session *session, const struct figure_args *figure,
                      const struct curve *curve, const char *caption,
                      const struct metadata *metadata, const struct output *output,
                      const char *path, struct arena *a, struct err *e);

#endif
