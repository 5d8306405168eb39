/* SPDX-License-Identifier: MIT
 * A part of a sheet: points with names, as far apart in the plane as they are given; both axes
 * have the same scale, which a line below shows. */
#ifndef DRAW_SCATTER_H
#define DRAW_SCATTER_H

#include "draw/heatmap.h"

struct canvas;

struct scatter_point {
    double x, y;                /* finite; y upwards */
    const char *name;
    int kind;                   /* which colour and shape; -1: none is known */
};

struct scatter {
    int n;                      /* >= 1 */
    const struct scatter_point *point;
    int n_kinds;
    const char *const *kind;    /* [n_kinds] in the key below; none: points have the colours
                                   of their shade */
    const float *shade;         /* [n] NULL: there are kinds */
    const struct cmap *cmap;
    const char *shade_name;     /* above the bar of shades */
    bool no_bar, no_names;
    const char *unit;           /* of the plane's distances, for the line below */
};

struct part scatter_part(const struct scatter *scatter);

/* Where points and names lie in a PNG of the sheet, whose only part it is: [n] each; w 0: the
 * name has no room. */
void scatter_boxes(const struct sheet *s, struct arena *a, struct box *point,
                   struct box *name);

/* ---- scatter_print.c ---- */

/* A name stands where its point is, and a point where the name has no room. */
void scatter_print(const void *scatter, struct canvas *canvas);

#endif
