/* SPDX-License-Identifier: MIT
 * What text.c, which lays text out and inks it, and text_placed.c share. */
#ifndef DRAW_TEXT_PRIV_H
#define DRAW_TEXT_PRIV_H

#include <pango/pangocairo.h>

#include "draw/text.h"

struct piece {
    PangoLayout *layout;
    double w, h;                /* of the text */
    double up, down;            /* of its ink, from the baseline */
    int boxes;                  /* drawn instead where there is no font; or 0 */
    struct style style;
    const char *clean;
    struct piece *next, *chain;     /* all pieces; those of a bucket */
};

/* Where a line is drawn: its left end (turned: its lower one), its baseline. */
struct text_spot {
    enum text_hold hold;
    double x, y;
    double size, middle;        /* of the font; from the middle of a line to its baseline */
    double max_h;               /* ink is cut beyond it; 0: there is none */
    bool turned;
};

/* Adds the line, or those of a paragraph of which x, y is a corner, to t->places. */
void text_place(const struct text *t, cairo_t *cr, const struct piece *p,
                const struct text_spot *spot);
void text_place_lines(const struct text *t, cairo_t *cr, const struct piece *p, double size,
                      double x, double y);

#endif
