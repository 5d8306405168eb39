/* SPDX-License-Identifier: MIT
 * Lines that can be told apart: 8 colours, also by those who see fewer of them, times 3
 * dashes. */
#ifndef DRAW_PEN_H
#define DRAW_PEN_H

#include <cairo.h>

enum { PEN_TONES = 8, PEN_DASHES = 3, MOST_PENS = PEN_TONES * PEN_DASHES, PEN_INK = -1 };

/* Red, green and blue of a pen; PEN_INK, and any beyond the last: of one dark gray. */
const unsigned char *pen_colour(int pen);

/* Colour, dash and width of what is stroked next; px: units of a pixel at 100 dpi. */
void pen_set(cairo_t *cr, int pen, double width, double px);

/* The colour alone, for what is filled. */
void pen_fill(cairo_t *cr, int pen, double alpha);

/* A paler one, which black text can be read on; PEN_INK: nearly white. */
void pen_pale(unsigned char rgb[3], int pen);
void pen_tint(cairo_t *cr, int pen);

#endif
