/* SPDX-License-Identifier: MIT
 *
 * The boxes of a sheet: pure geometry, no pixels, no fonts.
 *
 *     title                  centred, wrapped
 *     part                   parts one below the other, each centred
 *     part
 *     caption                wrapped, from the left
 *
 * Lengths are units of the page: pixels of a PNG, pixels at 100 dpi of an SVG,
 * points of a PDF.  y grows downwards. */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include <stdbool.h>

#include "base/arena.h"

enum { LAYOUT_NARROW_MARGIN = 3 };  /* pixels at 100 dpi, of a sheet of a given width */

struct box { double x, y, w, h; };

struct units {
    double px;                  /* units per pixel at 100 dpi */
    bool whole;                 /* boxes are at whole units */
};

/* A length given in pixels at 100 dpi; at least 1 where units are whole. */
double layout_units(struct units units, double px);
/* length, rounded up where units are whole. */
double layout_whole(struct units units, double length);

/* The sizes to lay out. */
struct layout_sizes {
    struct units units;
    int n_parts;
    const struct box *part;     /* [n_parts] w and h of each */
    double title_w, title_h;    /* of the title, as one line or as a paragraph; 0: none */
    bool caption;
    double page;                /* width of the sheet; 0: by its contents */
};

struct layout {
    double width, height;       /* of the sheet */
    double margin;
    struct box title;
    struct box caption;         /* height set by layout_add_caption */
    struct box *part;           /* [n_parts] */
};

/* n_parts >= 1; memory is of a. */
void layout_make(struct layout *layout, const struct layout_sizes *sizes, struct arena *a);
void layout_add_caption(struct layout *layout, double height);

#endif
