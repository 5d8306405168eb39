/* SPDX-License-Identifier: MIT
 * A part of a sheet: a scatter plot of points with names; both axes have the same scale, shown by a
 * line below. */
#ifndef DRAW_SCATTER_H
#define DRAW_SCATTER_H

#include "draw/figure/heatmap.h"

struct canvas;

struct scatter_point {
    double x, y;                /* finite; y upwards */
    const char *name;
    int kind;                   /* index of its kind, which has a colour and a shape; -1: unknown */
};

struct scatter {
    int n;                      /* >= 1 */
    const struct scatter_point *point;
    int n_kinds;
    const char *const *kind;    /* [n_kinds] names, in the key below; without kinds, points are
                                   coloured by shade */
    const float *shade;         /* [n] numbers; NULL: there are kinds */
    const struct cmap *cmap;
    const char *shade_name;     /* title of the colour bar of shade */
    bool no_bar, no_names;
    const char *unit;           /* unit of distances, for the line below */
};

struct part scatter_part(const struct scatter *scatter);

/* The boxes of points and names in a PNG of a sheet that has this part alone: [n] each; w 0: the
 * name has no room. */
void scatter_boxes(const struct sheet *sheet, struct arena *a, struct box *point,
                   struct box *name);

/* ---- scatter_print.c ---- */

/* Draws each name at its point, or a dot if the name has no room. */
void scatter_print(const void *scatter, struct canvas *canvas);

#endif
