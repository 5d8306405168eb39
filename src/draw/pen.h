/* SPDX-License-Identifier: MIT
 * Pens for distinguishable lines: 8 colours, suitable for colour-blind readers, times 3 dashes. */
#ifndef DRAW_PEN_H
#define DRAW_PEN_H

#include <cairo.h>

enum { PEN_TONES = 8, PEN_DASHES = 3, MOST_PENS = PEN_TONES * PEN_DASHES, PEN_INK = -1 };

/* Red, green and blue of a pen; one dark gray for PEN_INK, and for any beyond the last. */
const unsigned char *pen_colour(int pen);

/* Sets colour, dash and width of the next strokes; px: units of a pixel at 100 dpi. */
void pen_set(cairo_t *cr, int pen, double width, double px);

/* Sets the colour alone, for fills. */
void pen_fill(cairo_t *cr, int pen, double alpha);

/* A paler colour, on which black text is legible; PEN_INK: nearly white. */
void pen_pale(unsigned char rgb[3], int pen);
void pen_tint(cairo_t *cr, int pen);

#endif
