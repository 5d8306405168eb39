/* SPDX-License-Identifier: MIT
 * Private interface of text.c (layout and drawing) and text_placed.c. */
#ifndef DRAW_TEXT_PRIV_H
#define DRAW_TEXT_PRIV_H

#include <pango/pangocairo.h>

#include "draw/text.h"

struct piece {
    PangoLayout *layout;
    double w, h;                /* size of the text */
    double up, down;            /* extents of its ink from the baseline */
    int boxes;                  /* number of boxes drawn in its place, without a font; or 0 */
    struct style style;
    const char *clean;
    struct piece *next, *chain;     /* all pieces; those of a bucket */
};

/* The position of a line: its left end (rotated: its lower end), its baseline. */
struct text_spot {
    enum text_hold hold;
    double x, y;
    double size, middle;        /* font size; distance from a line's middle to its baseline */
    double max_h;               /* extent beyond which ink is clipped; 0: not clipped */
    bool turned;
};

/* Add a line, or the lines of a paragraph with its corner at x, y, to text->places. */
void text_place(const struct text *text, cairo_t *cr, const struct piece *piece,
                const struct text_spot *spot);
void text_place_lines(const struct text *text, cairo_t *cr, const struct piece *piece, double size,
                      double x, double y);

#endif
